import type { Action } from '../session';

/** Loaded only for this command, because it brings the clients of both servers along. */
export const doctorAction: Action = async (session, args) => {
  const { doctorAction: action } = await import('./doctor.js');
  return action(session, args);
};
