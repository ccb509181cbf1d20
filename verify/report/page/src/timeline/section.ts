import './timelines.css';
import type { Section } from '../section';
import { Timelines } from './timelines';

export const section: Section = {
  id: 'timelines',
  title: 'Timelines',
  render(host, context) {
    new Timelines(host, context);
  },
};
