import { adaptJvmOptions } from './jvm-options';

const distributed = `
# heap
-Xms1g
-Xmx1g
8-10:-XX:+UseConcMarkSweepGC
11-:-XX:+UseG1GC
-Djava.io.tmpdir=\${OPENSEARCH_TMPDIR}
-XX:HeapDumpPath=data
-XX:ErrorFile=logs/hs_err_pid%p.log
8:-Xloggc:logs/gc.log
9-:-Xlog:gc*,gc+age=trace,safepoint:file=logs/gc.log:utctime,pid,tags:filecount=32,filesize=64m
20-:--add-modules=jdk.incubator.vector
21-:-javaagent:agent/opensearch-agent.jar
`;

const places = { heapMb: 768, lifetime: 'long' as const, logFolder: '/run/logs', dataFolder: '/run/node-1' };

test('heap and places become the node`s own, lines for other Java versions stay', () => {
  expect(adaptJvmOptions(distributed, places).split('\n')).toEqual([
    '8-10:-XX:+UseConcMarkSweepGC',
    '11-:-XX:+UseG1GC',
    '-Djava.io.tmpdir=${OPENSEARCH_TMPDIR}',
    '-XX:HeapDumpPath=/run/node-1',
    '-XX:ErrorFile=/run/logs/hs_err_pid%p.log',
    '20-:--add-modules=jdk.incubator.vector',
    '21-:-javaagent:agent/opensearch-agent.jar',
    '-Xms768m',
    '-Xmx768m',
    '',
  ]);
});

test('absolute places of a distribution stay as they are', () => {
  const text = '-XX:HeapDumpPath=/var/dump\n-XX:ErrorFile=/var/log/hs_err.log';
  expect(adaptJvmOptions(text, places)).toContain(text);
});

test('nodes that live for minutes do without the optimising compiler', () => {
  const withCompiler = '-XX:TieredStopAtLevel=1';
  expect(adaptJvmOptions(distributed, { ...places, lifetime: 'short' })).toContain(withCompiler);
  expect(adaptJvmOptions(distributed, places)).not.toContain(withCompiler);
});
