// Where Chromium is; TASKTWIN_CHROMIUM says where else.
import { existsSync } from 'node:fs';

const places = [process.env.TASKTWIN_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** With TASKTWIN_CHROMIUM set there and nowhere else. */
export function findChromium(): string | undefined {
  return (process.env.TASKTWIN_CHROMIUM ? places.slice(0, 1) : places).find((place) => place && existsSync(place));
}
