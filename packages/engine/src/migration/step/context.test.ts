import { changed, type PhaseStep, waiting } from './context';

test('a step that leaves its phase by an exit which the table does not have does not compile', () => {
  const steps: readonly unknown[] = [
    ((_, { record }) =>
      Promise.resolve(changed({ ...record, phase: 'CUTTING_OVER' }))) satisfies PhaseStep<'PREPARING_TARGET'>,
    ((_, { record }) => Promise.resolve(changed(record))) satisfies PhaseStep<'COMPLETING'>,
    (() => Promise.resolve(waiting)) satisfies PhaseStep<'COMPLETED'>,
    ((_, { record }) =>
      // @ts-expect-error -- the write block comes first
      Promise.resolve(changed({ ...record, phase: 'COMPLETING' }))) satisfies PhaseStep<'PREPARING_TARGET'>,
    ((_, { record }) =>
      // @ts-expect-error -- what was cancelled does not end as a failure
      Promise.resolve(changed({ ...record, phase: 'FAILED' }))) satisfies PhaseStep<'CANCELLING'>,
    ((_, { record }) =>
      // @ts-expect-error -- an end leads nowhere
      Promise.resolve(changed({ ...record, phase: 'ACTIVE' }))) satisfies PhaseStep<'COMPLETED'>,
  ];
  expect(steps).toHaveLength(6);
});
