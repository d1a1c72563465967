/** Words with commas between them. */
export function wordsIn(text: string): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}
