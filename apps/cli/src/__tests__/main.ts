import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renewReference } from './reference';

/** `npm run generate:command-line` */
const path = join(__dirname, '../../../../docs/reference/command-line.md');
writeFileSync(path, renewReference(readFileSync(path, 'utf8')));
