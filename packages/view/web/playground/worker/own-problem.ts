import { inputError } from "@laconic/core";
import type { OwnFacts, OwnProblem, OwnStory } from "./messages.ts";

/** Max characters of a teller's text, a thing and a name; the model context is 512 tokens. */
export const maxCharacters = { text: 200, thing: 30, name: 15 } as const;

/** Why a user's problem cannot be asked; null if it can. */
export function faultOf(ownProblem: OwnProblem): string | null {
  return ownProblem.kind === "facts" ? factsFault(ownProblem) : storyFault(ownProblem);
}

/** @throws LaconicError `input_invalid` */
export function checkedProblem<Kind extends OwnProblem["kind"]>(
  ownProblem: OwnProblem,
  kind: Kind,
): Extract<OwnProblem, { readonly kind: Kind }> {
  const fault = ownProblem.kind === kind ? faultOf(ownProblem) : "The question belongs to another level.";
  if (fault !== null) throw inputError(fault);
  return ownProblem as Extract<OwnProblem, { readonly kind: Kind }>;
}

function factsFault({ facts, asked }: OwnFacts): string | null {
  const letters = facts.map((fact) => fact.charAt(0));
  if (!letters.every((letter) => /^[a-z]$/u.test(letter))) return "Letter: expected a to z.";
  if (!facts.every((fact) => /^.[0-9]$/u.test(fact))) return "Digit: expected 0 to 9.";
  if (new Set(letters).size < letters.length) return "Use a different letter for each holder.";
  const unknown = asked.find((letter) => !letters.includes(letter));
  if (unknown !== undefined) return `No holder knows ${unknown}.`;
  return asked[0] === asked[1] ? "Ask for two different letters." : null;
}

function storyFault({ thing, name, texts }: OwnStory): string | null {
  if (!/^[a-z]+(?: [a-z]+)*$/u.test(thing) || thing.length > maxCharacters.thing)
    return "Thing: expected lower-case words, such as red ball.";
  if (!/^[A-Z][a-z]{1,14}$/u.test(name)) return "Owner: expected one name, such as Lily.";
  if (texts.length < 2 || texts.length > 5) return "Texts: expected two to five.";
  if (texts.some((text) => text.trim() === "" || text.length > maxCharacters.text))
    return `Texts: expected 1 to ${maxCharacters.text} characters each.`;
  return texts.some((text) => new RegExp(`\\b${name}\\b`, "u").test(text))
    ? null
    : `No text contains ${name}, so no team can name the owner.`;
}
