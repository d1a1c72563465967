/** Properties of characters as Python's `str` methods use them. */

/** White space of `str.isspace`, which `strip` and `split` use; JavaScript's differs. */
export const whiteSpace: string = String.raw`\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
/** Line ends of `str.splitlines`. */
export const lineEnd: RegExp = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;

const space = new RegExp(`^[${whiteSpace}]$`, "u");
/** Digits other than decimals: superscripts, subscripts, circled digits and the like. */
const otherDigit =
  /^[\xb2\xb3\xb9\u1369-\u1371\u19da\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468\u2474-\u247c\u2488-\u2490\u24ea\u24f5-\u24fd\u24ff\u2776-\u277e\u2780-\u2788\u278a-\u2792\u{10a40}-\u{10a43}\u{10e60}-\u{10e68}\u{11052}-\u{1105a}\u{1f100}-\u{1f10a}]$/u;
/** Ideographs that are numbers. */
const numberIdeograph =
  /^[\u3405\u3483\u382a\u3b4d\u4e00\u4e03\u4e07\u4e09\u4e5d\u4e8c\u4e94\u4e96\u4ebf\u4ec0\u4edf\u4ee8\u4f0d\u4f70\u5104\u5146\u5169\u516b\u516d\u5341\u5343-\u5345\u534c\u53c1-\u53c4\u56db\u58f1\u58f9\u5e7a\u5efe\u5eff\u5f0c-\u5f0e\u5f10\u62fe\u634c\u67d2\u6f06\u7396\u767e\u8086\u842c\u8cae\u8cb3\u8d30\u9621\u9646\u964c\u9678\u96f6\uf96b\uf973\uf978\uf9b2\uf9d1\uf9d3\uf9fd\u{20001}\u{20064}\u{200e2}\u{20121}\u{2092a}\u{20983}\u{2098c}\u{2099c}\u{20aea}\u{20afd}\u{20b19}\u{22390}\u{22998}\u{23b1b}\u{2626d}\u{2f890}]$/u;

const decimal = /^\p{Nd}$/u;
const isDigit = (character: string): boolean => decimal.test(character) || otherDigit.test(character);
const isNumeric = (character: string): boolean => /^\p{N}$/u.test(character) || numberIdeograph.test(character);
const isLetter = (character: string): boolean => /^\p{L}$/u.test(character);

/** Tests of `str.is...` that hold for a text with characters that all pass. */
export const characterTests: Readonly<Record<string, (character: string) => boolean>> = {
  isalpha: isLetter,
  isdecimal: (character) => decimal.test(character),
  isdigit: isDigit,
  isnumeric: isNumeric,
  isalnum: (character) => isLetter(character) || isNumeric(character),
  isspace: (character) => space.test(character),
};

const isUpper = (character: string): boolean => /^\p{Uppercase}$/u.test(character);
const isLower = (character: string): boolean => /^\p{Lowercase}$/u.test(character);
const isTitle = (character: string): boolean => /^\p{Lt}$/u.test(character);

/** `str.islower`, `str.isupper` and `str.istitle`. */
export const caseTests: Readonly<Record<string, (characters: readonly string[]) => boolean>> = {
  islower: (characters) => characters.some(isLower) && !characters.some((each) => isUpper(each) || isTitle(each)),
  isupper: (characters) => characters.some(isUpper) && !characters.some((each) => isLower(each) || isTitle(each)),
  istitle(characters) {
    let cased = false;
    let before = false;
    for (const character of characters) {
      const upper = isUpper(character) || isTitle(character);
      if (upper ? before : isLower(character) && !before) return false;
      before = upper || isLower(character);
      cased ||= before;
    }
    return cased;
  },
};

const specialTitles: Readonly<Record<string, string>> = {
  "\u0149": "\u02bcN",
  "\u1fb7": "\u0391\u0342\u0345",
  "\u1fc7": "\u0397\u0342\u0345",
  "\u1ff7": "\u03a9\u0342\u0345",
};

/** Title case of a character; differs from upper case for digraphs, ligatures and Georgian. */
export function titleCase(character: string): string {
  if (isTitle(character) || /^[\u10d0-\u10fa\u10fd-\u10ff]$/u.test(character)) return character;
  if (/^[\u01c4-\u01cc]$/u.test(character))
    return "\u01c5\u01c8\u01cb"[Math.floor((character.charCodeAt(0) - 0x1c4) / 3)] as string;
  if (/^[\u01f1-\u01f3]$/u.test(character)) return "\u01f2";
  const special = specialTitles[character];
  if (special !== undefined) return special;
  const upper = character.toUpperCase();
  const [first = "", ...rest] = Array.from(upper);
  if (rest.length === 0) return upper;
  // Greek with iota subscript: the title case is one character or keeps the iota small.
  const title = Array.from(character.normalize("NFD")).at(-1) === "\u0345" ? greekTitle(character) : null;
  return title ?? first + rest.join("").toLowerCase();
}

function greekTitle(character: string): string {
  const [base = "", ...marks] = Array.from(character.normalize("NFD"));
  return [base.toUpperCase(), ...marks].join("").normalize("NFC");
}

/** Whether a character has a case, which `str.title` takes for a part of a word. */
export function isCased(character: string): boolean {
  return isUpper(character) || isLower(character) || isTitle(character);
}

/** Whether `repr` and `str.isprintable` take a character for printable. */
export function isPrintable(character: string): boolean {
  return character === " " || !/^[\p{C}\p{Z}]$/u.test(character);
}
