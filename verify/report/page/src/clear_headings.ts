// The links stay at the top of the window: what is scrolled to stands below them, however many lines they take.

export function clearHeadings(links: HTMLElement): void {
  const keep = (): void => {
    document.documentElement.style.scrollPaddingTop = `${links.offsetHeight + 8}px`;
  };
  new ResizeObserver(keep).observe(links);
}
