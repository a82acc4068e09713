import { type AppConfig, ConfigError, findDefaultServers, parseEnv } from '@aosc/config';
import { examineApi } from '../doctor/examine-api';
import { examineOpenSearch } from '../doctor/examine-opensearch';
import { examineRedisServer } from '../doctor/examine-redis';
import type { Finding } from '../doctor/finding';
import type { Paint, Tone } from '../output/paint';
import { plain } from '../output/text';
import type { Action } from '../session';

/** `aosc doctor` */
export const doctorAction: Action = async (session) => {
  const { flags, shell } = session;
  const planned = { source: flags.text('source'), target: flags.text('target'), alias: flags.text('alias') };
  const config = readConfig(shell.env);
  const findings: Finding[] = ['problems' in config ? config.problems : []].flat();
  if (!flags.isOn('serversOnly')) findings.push(...(await examineApi(session, planned)));
  if (!('problems' in config) && !flags.isOn('apiOnly')) {
    findings.push(...noteDefaults(shell.env));
    const cluster = await examineOpenSearch(config, planned, shell.signal);
    const ofService = flags.isOn('serversOnly') ? undefined : cluster.clusterUuid;
    findings.push(...cluster.findings, ...(await examineRedisServer(config, ofService)));
  }
  session.print(findings, () => renderFindings(findings, session.paint));
  return findings.some(({ level }) => level === 'fail') ? 'unhealthy' : 'done';
};

/** Without the service's variables `doctor` asks default addresses, which need not be the service's. */
function noteDefaults(env: Readonly<Record<string, string | undefined>>): readonly Finding[] {
  return findDefaultServers(env).map(({ name, url }) => ({
    area: 'environment',
    check: 'servers',
    level: 'warn',
    text: `${name} is not set: ${url} is asked`,
    advice: 'Set it as for the service, or leave the servers out with --api-only.',
  }));
}

/** The environment as a worker would read it. */
function readConfig(
  env: Readonly<Record<string, string | undefined>>,
): AppConfig<'worker'> | { readonly problems: readonly Finding[] } {
  try {
    return parseEnv(env, 'worker');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return {
      problems: error.problems.map((text) => ({
        area: 'environment',
        check: 'variables',
        level: 'fail',
        text,
        advice: 'docs/configuration.md has every variable.',
      })),
    };
  }
}

const tones: Readonly<Record<Finding['level'], Tone>> = {
  ok: 'good',
  warn: 'warn',
  fail: 'bad',
  skipped: 'dim',
};

/** A line for each finding, and under it what to do. */
export function renderFindings(findings: readonly Finding[], paint: Paint): readonly string[] {
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  return [
    ...findings.flatMap(({ area, check, level, text, advice }) => [
      `${paint(tones[level], level.padEnd(7))} ${`${area}: ${check}`.padEnd(28)} ${plain(text)}`,
      ...(advice === undefined ? [] : [`        -> ${plain(advice)}`]),
    ]),
    `${count('fail')} failed, ${count('warn')} to look at, ${count('ok')} fine`,
  ];
}
