// Elements in one expression.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

/**
 * An element. An attribute that is a function listens to the event of that name; true is an empty attribute; false, null and undefined
 * are none.
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name, value as EventListener);
    else if (value === true) made.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, String(value));
  }
  append(made, ...children);
  return made;
}

export function append(parent: Node, ...children: Child[]): void {
  for (const child of children) {
    if (child) parent.appendChild(typeof child === 'string' ? document.createTextNode(child) : child);
  }
}

const svgNamespace = 'http://www.w3.org/2000/svg';

/** The same for SVG. */
export function svg(tag: string, attributes: Record<string, string | number> = {}, ...children: Child[]): SVGElement {
  const made = document.createElementNS(svgNamespace, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  append(made, ...children);
  return made;
}
