/** The processes that read the environment. */
export const apps = ['api', 'worker', 'scheduler'] as const;
export type App = (typeof apps)[number];
