import { decideMeeting } from '..';

describe('decideMeeting', () => {
  test('the other one is gone: the document has moved to us', () => {
    expect(decideMeeting({ ours: true, other: false })).toBe('take_place');
  });

  test('ours is gone: the document has moved away from us', () => {
    expect(decideMeeting({ ours: false, other: true })).toBe('give_way');
  });

  test('both are there: they may be for a moment', () => {
    expect(decideMeeting({ ours: true, other: true })).toBe('ask_again');
  });

  test('both are gone: the round ends as its snapshot has it, and the next one deletes ours', () => {
    expect(decideMeeting({ ours: false, other: false })).toBe('take_place');
  });
});
