import type { BulkItem, RawDocument } from '@aosc/engine';
import fc from 'fast-check';
import { jsonValue, source, token, version, whiteSpace } from './__tests__/arbitraries';
import { composeBulkBody } from './bulk-body';
import { toOneLine } from './one-line';
import { readDocumentPage, readHeadPage, readKeyPage, readWholePage } from './pages';
import { thrownBy } from '../__tests__/thrown-by';

interface Hit {
  readonly id: string;
  readonly routing: string | undefined;
  readonly version: string;
  readonly seqNo: number;
  readonly source: string;
  readonly ignored: string;
  /** laid out as OpenSearch 3.7.0 does when nothing odd was asked for */
  readonly plain: boolean;
}

const hit: fc.Arbitrary<Hit> = fc.record({
  id: token,
  routing: fc.option(token, { nil: undefined }),
  version,
  seqNo: fc.maxSafeNat(),
  source,
  ignored: jsonValue,
  plain: fc.boolean(),
});

const exampleHit: Hit = {
  id: '"a"',
  routing: undefined,
  version: '1',
  seqNo: 1,
  source: '{}',
  ignored: '1',
  plain: true,
};

function plainHit(each: Hit, index: number, isNumbered: boolean): string {
  const routing = each.routing === undefined ? '' : `"_routing":${each.routing},`;
  const operation = isNumbered ? `"_seq_no":${each.seqNo},"_primary_term":3,` : '';
  const head = `{"_index":"src","_id":${each.id},"_version":${each.version},${operation}"_score":null,`;
  return `${head}${routing}"_source":${each.source},"sort":[${index}]}`;
}

/** The answer as OpenSearch writes it; other hits with blanks between tokens and the keys turned round. */
function answerOf(hits: readonly Hit[], blank: string, turn: number, isNumbered = false): Buffer {
  const all = hits.map((each, index) => {
    if (each.plain) return plainHit(each, index, isNumbered);
    const members = [
      `"_index":${blank}"src"`,
      `${blank}"_id"${blank}:${blank}${each.id}${blank}`,
      `"_version":${blank}${each.version}`,
      `"_seq_no":${each.seqNo}${blank}`,
      '"_primary_term":3,"_score":null',
      `"fields":${each.ignored}${blank}`,
      ...(each.routing === undefined ? [] : [`"_routing":${blank}${each.routing}`]),
      `"_source":${each.source}`,
      `"_ignored":["_source"],"sort":[${index}]`,
    ];
    const at = turn % members.length;
    return `${blank}{${[...members.slice(at), ...members.slice(0, at)].join(',')}}`;
  });
  return Buffer.from(
    `${blank}{"pit_id":"x","took":5,"timed_out":false,${blank}"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},` +
      `"hits":{"max_score":null,"hits":[${all.join(',')}${blank}]}}${blank}`,
  );
}

/** What JSON says of a text: the bytes without blanks and comments around tokens, as OpenSearch reads it. */
function meaning(text: string): unknown {
  return JSON.parse(text.replace(/^\ufeff/, '').replace(/\/\* \} " \*\/ $/, ''));
}

const pages = fc.tuple(fc.array(hit, { maxLength: 6 }), whiteSpace, fc.nat());

test('a page returns exactly the bytes that were stored', () => {
  fc.assert(
    fc.property(pages, ([hits, blank, turn]) => {
      const bytes = answerOf(hits, blank, turn);
      const { documents, next } = readDocumentPage(bytes);
      expect(next).toBe(hits.length === 0 ? undefined : `[${hits.length - 1}]`);
      expect(
        documents.map(({ idToken, routingToken, version, source, size }) => ({
          idToken,
          routingToken,
          version,
          source: Buffer.from(source).toString('utf8'),
          size,
        })),
      ).toEqual(
        hits.map((each) => ({
          idToken: each.id,
          routingToken: each.routing,
          version: each.version,
          source: each.source,
          size: Buffer.byteLength(each.id + (each.routing ?? '') + each.source),
        })),
      );
    }),
  );
});

test('a whole page has the operations as well, and each source on one line', () => {
  fc.assert(
    fc.property(pages, ([hits, blank, turn]) => {
      const { documents } = readWholePage(answerOf(hits, blank, turn, true));
      expect(
        documents.map(({ idToken, routingToken, version, seqNo, primaryTerm, source }) => ({
          ...{ id: idToken, routing: routingToken, version, seqNo, primaryTerm },
          source: Buffer.from(source).toString('utf8'),
        })),
      ).toEqual(
        hits.map(({ id, routing, version, seqNo, source }) => ({
          ...{ id, routing, version, seqNo, primaryTerm: 3 },
          source: Buffer.from(toOneLine(Buffer.from(source))).toString('utf8'),
        })),
      );
    }),
  );
});

test('a hit without its operation is refused by what needs it', () => {
  const bytes = answerOf([exampleHit], '', 0);
  expect(() => readWholePage(bytes)).toThrow('a hit without _seq_no or _primary_term');
  expect(() => readHeadPage(bytes)).toThrow('a hit without _seq_no or _primary_term');
});

test('heads are decoded', () => {
  fc.assert(
    fc.property(pages, ([hits, blank, turn]) => {
      const numbered = hits.map((each) => ({ ...each, plain: false }));
      expect(readHeadPage(answerOf(numbered, blank, turn)).documents).toEqual(
        hits.map((each) => ({
          id: JSON.parse(each.id) as unknown,
          routing: each.routing === undefined ? undefined : (JSON.parse(each.routing) as unknown),
          version: each.version,
          seqNo: each.seqNo,
          primaryTerm: 3,
        })),
      );
    }),
  );
});

test('heads in the layout of OpenSearch, with a routing and without', () => {
  const heads = fc.array(
    fc.record({ id: token, routing: fc.option(token), version, seqNo: fc.maxSafeNat() }),
  );
  fc.assert(
    fc.property(heads, fc.nat(), (hits, cut) => {
      const texts = hits.map(({ id, routing, version: number, seqNo }, at) => {
        const behind = `"_score":null${routing === null ? '' : `,"_routing":${routing}`},"sort":[${at}]}`;
        return `{"_index":"src","_id":${id},"_version":${number},"_seq_no":${seqNo},"_primary_term":3,${behind}`;
      });
      const bytes = Buffer.from(
        `{"timed_out":false,"_shards":{"total":1,"successful":1,"failed":0},"hits":{"hits":[${texts.join(',')}]}}`,
      );
      expect(readHeadPage(bytes).documents).toEqual(
        hits.map(({ id, routing, version: number, seqNo }) => ({
          id: JSON.parse(id) as unknown,
          routing: routing === null ? undefined : (JSON.parse(routing) as unknown),
          version: number,
          seqNo,
          primaryTerm: 3,
        })),
      );
      const part = bytes.subarray(0, cut % bytes.length);
      expect(thrownBy(() => readHeadPage(part))).toMatchObject({ kind: 'transient' });
    }),
  );
});

describe('keys in the layout of OpenSearch', () => {
  type Key = readonly [id: string, routing: string | undefined];
  const read = (keys: readonly Key[], cut?: number) => {
    const texts = keys.map(([id, routing], at) => {
      const shown = routing === undefined ? '' : `,"_routing":${routing}`;
      return `{"_index":"src","_id":${id},"_score":null${shown},"sort":[${at}]}`;
    });
    const bytes = Buffer.from(
      `{"timed_out":false,"_shards":{"total":1,"successful":1,"failed":0},"hits":{"hits":[${texts.join(',')}]}}`,
    );
    return readKeyPage(cut === undefined ? bytes : bytes.subarray(0, cut % bytes.length));
  };
  const decoded = ([id, routing]: Key) => ({
    id: JSON.parse(id) as unknown,
    routing: routing === undefined ? undefined : (JSON.parse(routing) as unknown),
  });

  test.each<Key>([
    ['"x\ufffd"', undefined],
    ['"x\\ufffd"', undefined],
    ['"x\\uFFFD"', undefined],
    ['"x"', '"r\ufffd"'],
    ['"x"', '"\\uFffd"'],
  ])('U+FFFD in %s %s is seen among others', (...key) => {
    const all: readonly Key[] = [['"a"', undefined], ['"b"', '"r"'], key, ['"c"', undefined]];
    expect(read(all).documents).toEqual(all.map(decoded));
  });

  test('no other key is decoded, and each is counted', () => {
    const keys = fc.array(fc.tuple(token, fc.option(token, { nil: undefined })));
    fc.assert(
      fc.property(keys, fc.nat(), (all, cut) => {
        const { documents, next } = read(all);
        const seen = all.map(decoded);
        if (documents.every((key) => key === undefined)) {
          expect(documents).toHaveLength(all.length);
          expect(JSON.stringify(seen)).not.toContain('\ufffd');
        } else expect(documents).toEqual(seen);
        expect(next).toBe(all.length === 0 ? undefined : `[${all.length - 1}]`);
        expect(thrownBy(() => read(all, cut))).toMatchObject({ kind: 'transient' });
      }),
    );
    expect(
      read([
        ['"é"', undefined],
        ['"b"', '"r"'],
      ]).documents,
    ).toEqual([undefined, undefined]);
  });
});

test('a truncated answer is transient at every cut, never shorter', () => {
  fc.assert(
    fc.property(fc.array(hit, { minLength: 1, maxLength: 2 }), fc.nat(), (hits, cut) => {
      const bytes = answerOf(hits, '', 0);
      const part = bytes.subarray(0, cut % bytes.length);
      expect(thrownBy(() => readDocumentPage(part))).toMatchObject({ kind: 'transient' });
    }),
  );
});

test('an answer that is cut inside the comment behind a source is transient', () => {
  const bytes = answerOf([{ ...exampleHit, source: '{} /* } */ ' }], '', 0);
  const comment = bytes.indexOf('/*');
  expect(comment).toBeGreaterThan(0);
  for (const cut of [1, 2, 3]) {
    expect(thrownBy(() => readDocumentPage(bytes.subarray(0, comment + cut)))).toMatchObject({
      kind: 'transient',
    });
  }
});

test('a bulk line holds the tokens as they came and the source on one line, with the same meaning', () => {
  fc.assert(
    fc.property(fc.array(hit, { minLength: 1, maxLength: 4 }), (hits) => {
      const items = readDocumentPage(answerOf(hits, '', 0)).documents.map((document): BulkItem => ({
        kind: 'index',
        document,
      }));
      const lines = composeBulkBody(items).toString('utf8').split('\n');
      expect(lines).toHaveLength(2 * hits.length + 1);
      hits.forEach((each, index) => {
        const routing = each.routing === undefined ? '' : `,"routing":${each.routing}`;
        expect(lines[2 * index]).toBe(
          `{"index":{"_id":${each.id},"version":${each.version},"version_type":"external_gte"${routing}}}`,
        );
        const written = lines[2 * index + 1] ?? '';
        expect(written).toBe(each.source.replace(/[\r\n]/g, ' '));
        expect(meaning(written)).toEqual(meaning(each.source));
      });
    }),
  );
});

test.each([
  ['{"a":1 // " }\n,"b":2}', '{"a":1        ,"b":2}'],
  ['{"a":1 // x\r,"b":2}', '{"a":1      ,"b":2}'],
  ['{"a":1 /* " \n } */ }\n', '{"a":1 /* "   } */ } '],
  ['{"a":"// not a comment",\n"b":1}', '{"a":"// not a comment", "b":1}'],
])('%j goes on one line', (stored, line) => {
  expect(Buffer.from(toOneLine(Buffer.from(stored))).toString()).toBe(line);
});

test('a source on one line is not copied', () => {
  const stored = Buffer.from('{"a":"\\n"}');
  expect(toOneLine(stored)).toBe(stored);
});

test('a delete line has no version', () => {
  const key = { id: 'a"\n', routing: undefined };
  const document: RawDocument = {
    idToken: '"x"',
    routingToken: '"ü"',
    version: '2',
    source: Buffer.from('{}'),
    size: 9,
  };
  const body = composeBulkBody([
    { kind: 'delete', key, seqNo: 4, primaryTerm: 2 },
    { kind: 'index', document },
    { kind: 'delete', key: { id: 'ü', routing: 'r' }, seqNo: 5, primaryTerm: 2 },
  ]);
  expect(body.toString()).toBe(
    '{"delete":{"_id":"a\\"\\n","if_seq_no":4,"if_primary_term":2}}\n' +
      '{"index":{"_id":"x","version":2,"version_type":"external_gte","routing":"ü"}}\n{}\n' +
      '{"delete":{"_id":"ü","routing":"r","if_seq_no":5,"if_primary_term":2}}\n',
  );
});

test('the longest names, versions and numbers of a wrapped document fit', () => {
  const longest = JSON.stringify('€'.repeat(170));
  const transform = { pipeline: 'p', shard: 99_999, nowMillis: 8_640_000_000_000_000 };
  const version = '9223372036854775807';
  const document = { idToken: longest, routingToken: longest, version, source: Buffer.from('{}'), size: 2 };
  const lines = composeBulkBody(
    Array.from({ length: 50 }, () => ({ kind: 'index', document }) as const),
    transform,
  )
    .toString()
    .split('\n');
  expect(lines).toHaveLength(101);
  expect(new Set(lines.slice(0, 100).map((line) => JSON.stringify(JSON.parse(line)))).size).toBe(2);
  expect(lines[1]).toContain(`"_aosc":{"id":${longest},"version":${version},"routing":${longest}}`);
  expect(lines[99]).toBe(lines[1]);
});

test('with a transform each document is wrapped, with what it must not change', () => {
  const transform = { pipeline: 'p', shard: 2, nowMillis: 5 };
  const document = {
    idToken: '"x\\n"',
    routingToken: '"ü"',
    version: '9007199254740993',
    source: Buffer.from('{"a":\n1}'),
    size: 9,
  };
  const bare = { ...document, routingToken: undefined };
  const key = { id: 'gone', routing: undefined };
  const body = composeBulkBody(
    [
      { kind: 'index', document },
      { kind: 'delete', key, seqNo: 4, primaryTerm: 2 },
      { kind: 'index', document: bare },
    ],
    transform,
  );
  const wrapped = (own: string): string =>
    `{"_aosc":{"id":"x\\n","version":9007199254740993${own}},"_now":5,"op":"index","op_type":"index",` +
    '"source_shard_id":2,"_source":{"a": 1}}';
  expect(body.toString().split('\n')).toEqual([
    '{"index":{"_id":"x\\n","version":9007199254740993,"version_type":"external_gte","routing":"ü"}}',
    wrapped(',"routing":"ü"'),
    '{"delete":{"_id":"gone","if_seq_no":4,"if_primary_term":2}}',
    '{"index":{"_id":"x\\n","version":9007199254740993,"version_type":"external_gte"}}',
    wrapped(''),
    '',
  ]);
});
