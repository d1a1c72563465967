/** Zero width, soft hyphens, variation selectors, marks and isolates of direction: nothing is seen of them. */
const invisible = /[\u00ad\u061c\u180e\u200b-\u200f\u2060-\u2064\u2066-\u206f\ufeff]|\u034f|\p{Variation_Selector}/gu;
/** From where the direction of reading is overridden to where that ends: what is seen is not what is written. */
const overridden = /[\u202d\u202e][^\u202c\n]*\u202c?/gu;
const embedding = /[\u202a-\u202c]/gu;
const fullWidth = /[\uff01-\uff5e\u3000\ufe63\u3002]/gu;
/** Arabic, Persian and Devanagari digits. */
const digit = /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]/gu;

/**
 * A text without the characters that show nothing, and with plain letters, digits and signs for full-width ones. What stands
 * under an override of the direction of reading becomes one sign of an unreadable character.
 */
export function plainCharacters(text: string): string {
  return text
    .replaceAll(overridden, "\ufffd")
    .replaceAll(invisible, "")
    .replaceAll(embedding, "")
    .replaceAll(digit, (each) => {
      const code = each.codePointAt(0) as number;
      return String((code & 15) - (code >= 0x966 ? 6 : 0));
    })
    .replaceAll(fullWidth, (each) => {
      if (each === "\u3000") return " ";
      if (each === "\ufe63") return "-";
      return each === "\u3002" ? "." : String.fromCodePoint((each.codePointAt(0) as number) - 0xfee0);
    });
}
