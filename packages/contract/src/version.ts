/** The version of the service, as the API and the command line show it. `npm run release` sets it everywhere. */
export const serviceVersion = '0.1.0';
