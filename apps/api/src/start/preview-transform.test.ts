import { createDependencies } from '../__tests__/create-dependencies';
import { callerOf } from './caller';
import { previewTransform } from './preview-transform';

test('the target of a preview is one that the credential may use', async () => {
  const caller = callerOf({
    name: 'team',
    kind: 'api_key',
    roles: ['operate', 'transform'],
    indexPatterns: ['a-*'],
  });
  const script = { type: 'inline', source: 'ctx.op = "noop"' };
  const body = { transform_script: script, target_index: 'b-secret' };
  const { signal } = new AbortController();
  const asked = previewTransform(createDependencies({}), 'a-source', body, caller, signal);
  await expect(asked).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('may not use index [b-secret]') as string,
  });
});
