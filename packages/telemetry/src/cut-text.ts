/** A password or a token can be this long, so a blank further back is no place to cut. */
const longestWord = 1_024;

/**
 * A long text without its end, and how many characters were cut. The cut never separates a secret from what makes it
 * recognisable: it falls between two words, and where a word is too long for that, not into the user and password of a
 * URL, whose `@` may come after the cut.
 * @param maxLength characters that are kept at the most
 */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const kept = text.slice(0, maxLength);
  const tail = kept.slice(-longestWord);
  const blank = tail.search(/\s\S*$/);
  const whole = blank === -1 ? withoutOpenUrl(kept) : kept.slice(0, kept.length - tail.length + blank);
  return `${whole}… (${text.length - whole.length} more characters)`;
}

/** The text behind the last `://` may be a user and a password as long as no path has begun. */
function withoutOpenUrl(text: string): string {
  const at = text.lastIndexOf('://');
  if (at === -1) return text;
  const begin = at + '://'.length;
  return /[/?#\s"']/.test(text.slice(begin)) ? text : text.slice(0, begin);
}
