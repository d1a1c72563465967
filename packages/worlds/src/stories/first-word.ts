/** The first word of letters that a reply holds; empty without one. */
export function firstWord(text: string): string {
  return /[A-Za-z]+/u.exec(text)?.[0] ?? "";
}
