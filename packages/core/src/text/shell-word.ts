/**
 * A text as one word of a command line that is shown to be copied: in quotes where a shell would cut it or read it otherwise. Double
 * quotes hold in every shell, Windows' too; a text with what those still read stands in single ones.
 * @example shellWord("runs/my run") // "runs/my run", with its quotes
 */
export function shellWord(text: string): string {
  if (/^[\p{L}\p{N}_@%+=:,./-]+$/u.test(text)) return text;
  return /["$`!]|\\$/u.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : `"${text}"`;
}
