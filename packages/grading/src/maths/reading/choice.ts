/** An answer that names a choice and says its value: `(C) 12`. */
export interface Choice {
  readonly letter: string;
  readonly value: string;
}

const command = "\\\\text";
const lettered = new RegExp(
  `^(${command}\\s*\\{)?\\s*(\\()?\\s*(?:${command}\\s*\\{\\s*([A-H])\\s*\\}|([A-H]))\\s*(\\)|\\.)\\s*(\\})?[\\s~]*(?:\\\\[ ,;:]|\\\\q?quad)?\\s*(.+)$`,
  "su",
);

/**
 * Takes a letter and its value apart.
 * @returns null where a text is no letter in parentheses, or with a full stop or parenthesis behind it, before something
 */
export function choiceOf(text: string): Choice | null {
  const match = lettered.exec(text.trim());
  if (!match) return null;
  const [, opened, , wrapped, bare, , closed, rest] = match as unknown as (string | undefined)[];
  let value = (rest as string).trim();
  if (opened && !closed) {
    if (!value.endsWith("}")) return null;
    value = value.slice(0, -1).trim();
  }
  // Two letters choose nothing.
  if (value === "" || lettered.test(value) || /^\(?[A-H]\)?$|^(?:or|and)\b|^[,/&]/u.test(value)) return null;
  return { letter: (wrapped ?? bare) as string, value };
}

/** The letter of an answer that is nothing else. */
export function letterAlone(text: string): string | null {
  const bare = text.replaceAll(new RegExp(command, "gu"), "").replaceAll(/[\s(){}.$]/gu, "");
  return /^[A-H]$/u.test(bare) ? bare : null;
}
