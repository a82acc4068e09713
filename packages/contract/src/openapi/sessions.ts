import { SessionAnswerSchema } from '../session';
import { errorsOfAccess, errorsOfEveryRequest, type Operation } from './operation';

const common = {
  path: '/_plugins/_aosc/_session',
  tag: 'service',
  parameters: [],
  commonParameters: false,
} as const;
const cookie = { 'Set-Cookie': 'The session.' };

/** Beside the contract: for the page, which should not keep passwords. */
export const getSession: Operation = {
  ...common,
  method: 'get',
  operationId: 'aosc_get_session',
  role: 'open',
  summary: 'Tell who the caller is',
  answers: { 200: { description: 'Who asks.', schema: SessionAnswerSchema } },
  errors: errorsOfAccess.concat('illegal_argument'),
};

export const openSession: Operation = {
  ...common,
  method: 'post',
  operationId: 'aosc_open_session',
  role: 'read',
  action: 'sign_in',
  summary: 'Sign in',
  description:
    'Takes the credentials of this request, and answers with a cookie that stands for them: HttpOnly, SameSite=Strict, good for 15 minutes after its last use and eight hours at most. Whatever changes something needs the header x-aosc-csrf beside it.',
  answers: { 200: { description: 'The session.', schema: SessionAnswerSchema, headers: cookie } },
  errors: errorsOfEveryRequest,
};

export const endSession: Operation = {
  ...common,
  method: 'delete',
  operationId: 'aosc_end_session',
  role: 'open',
  action: 'sign_out',
  summary: 'Sign out',
  answers: { 200: { description: 'Nobody is signed in.', schema: SessionAnswerSchema } },
  errors: errorsOfAccess.concat('illegal_argument'),
};
