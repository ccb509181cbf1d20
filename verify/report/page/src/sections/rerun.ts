// What a captured program's own kernels took under other schedules, measured, and what was predicted before.
import { body, figure, row, table, words } from '../charts/table';
import type { RerunScheduleData } from '../data';
import { element } from '../dom';
import { absent, microseconds, signedPercent } from '../format';
import type { Section } from '../section';

export const section: Section = {
  id: 'rerun',
  title: 'Run again on the device',
  render(host, context) {
    const { rerun } = context.scenario.data;
    if (rerun === null) return false;
    const { device, date, command, program_us, own_memory, schedules } = rerun;
    const itself = program_us === null ? '' : ` The program itself takes ${microseconds(program_us * 1e3)} µs, device and host.`;
    const memory = own_memory ? ' Each tensor had memory of its own.' : '';
    host.append(
      element('p', {}, `The program’s own kernels, launched again under each schedule on ${device}, ${date}.${itself}${memory}`),
      element('p', { class: 'quiet' }, element('code', {}, command.join(' '))),
      table(
        'Medians by schedule; predictions were made before.',
        [
          { text: 'Schedule' },
          { text: 'Device', unit: 'µs', number: true },
          { text: 'With host', unit: 'µs', number: true },
          { text: 'Predicted', unit: 'with host, µs', number: true },
          { text: 'Error', number: true },
          { text: 'Results' },
        ],
        body(...schedules.map(scheduleRow)),
      ),
    );
    return undefined;
  },
};

function scheduleRow(of: RerunScheduleData): HTMLTableRowElement {
  const us = (value: number): string => microseconds(value * 1e3);
  const error = of.predicted_us === null ? absent : signedPercent(of.predicted_us / of.host_us - 1);
  return row(
    of.schedule,
    figure(us(of.device_us)),
    figure(us(of.host_us), `${us(of.least_us)} to ${us(of.most_us)}`),
    figure(of.predicted_us === null ? absent : us(of.predicted_us)),
    figure(error),
    words(of.differs ? element('strong', {}, of.results) : of.results),
  );
}
