// The sections of the page, in their order. To add one: a file that exports `section`, and a line here.
import type { Section } from './section';
import { section as advice } from './sections/advice';
import { section as criticalPath } from './sections/critical_path';
import { section as delays } from './sections/delays';
import { section as designs } from './sections/designs';
import { section as idleTime } from './sections/idle_time';
import { section as kernels } from './sections/kernels';
import { section as machine } from './sections/machine';
import { section as overTime } from './sections/over_time';
import { section as overlap } from './sections/overlap';
import { section as reproduce } from './sections/reproduce';
import { section as rerun } from './sections/rerun';
import { section as sensitivity } from './sections/sensitivity';
import { section as verdict } from './sections/verdict';
import { section as timelines } from './timeline/section';

export const sections: Section[] = [
  verdict,
  advice,
  rerun,
  timelines,
  criticalPath,
  idleTime,
  overTime,
  overlap,
  kernels,
  delays,
  sensitivity,
  designs,
  reproduce,
  machine,
];
