import model from "wink-eng-lite-web-model";
import winkNLP from "wink-nlp";
import type { Text } from "./texts.ts";

export interface Fault {
  readonly line: number;
  readonly rule: "opening" | "verb" | "length" | "pronoun" | "phrase";
  readonly sentence: string;
}

interface Token {
  readonly word: string;
  readonly tag: string;
}

const wink = winkNLP(model, ["pos"]);

function tokensOf(sentence: string): readonly Token[] {
  const tokens = wink.readDoc(sentence).tokens();
  const tags = tokens.out(wink.its.pos);
  return tokens.out().map((word, i) => ({ word: word.toLowerCase(), tag: tags[i] ?? "" }));
}

/** Turns of phrase that only this repository used. */
const phrases: readonly RegExp[] = [
  /\b(?:is|are|was|were) (?:none\b|of (?:a|an|the)\b)|\b(?:that nothing|nothing of)\b/iu,
  /, (?:is|are|was|were|does|do|did) not\.?$/iu,
  /\bof (?:its|one's|their|the user's|your|his|her|a) own\b(?! [a-z])/iu,
  /\b(?:came|comes?) to\b|\b(?:goes|went|gone|going) on\b/iu,
  /\b(?:told|stands?(?!-)|beside|hears?|heard|anew|nobody|somebody|everybody|whoever|meanwhile|thereby|likewise)\b/iu,
  /\bas (?:it|they) (?:is|are|was|were)\b/iu,
  /\b(?:the one|those|one) (?:that|who|which)\b/iu,
  /\b(?:left out|leaves? out|in vain|gives? way|gave way|for nothing)\b|'s doing\b/iu,
  /\b(?:lies|lay)\b(?! in \[)|\blie (?:in|on|at|under|between)\b/iu,
];

/** Conjunctions and adverbial expressions that a sentence may start with. */
const opening =
  /^(?:if|when|while|once|unless|until|because|since|whether|without|instead|for (?:example|instance)|by default|in practice|at (?:least|most)|up to|more than|per|to \w+|as (?:a|an)|than)\b/iu;
/** Prepositions that may start a sentence whose subject follows a comma. */
const preposition = /^(?:in|on|at|for|with|from|after|before|during|under|as|among|within|between|across|through|by)$/u;
const relative = /^(?:what|where|whose|which|who|whom|whoever|whatever|of|above|below|beside|over)$/u;
const determiner = /^(?:a|an|the|its|their|each|every|no|any|all|this|it|them|name)$/u;
/** Verbs that the tagger often takes for nouns. */
const homograph =
  /^(?:use|show|end|complete|train|name|sample|record|plan|run|set|fall|cost|need|return|report|stop|start|test|mark|list|count|score|leave|pass|fail|keep|share|state|store|copy|order|format|check|clone|split|seed|place|guide|close|answer|link|flag|import|print|refuse|type-check)s?$/u;

/** Whether the tagger finds a verb, or an unlikely noun is one: "A fleet samples a policy". */
const hasVerb = (tokens: readonly Token[]): boolean =>
  tokens.some(({ word, tag }, i) => {
    const before = tokens[i - 1]?.tag ?? "";
    if (tag === "VERB" || tag === "AUX") return true;
    if (homograph.test(word) && /^(?:|NOUN|PROPN|PRON|ADV)$/u.test(before)) return true;
    if (i === 0 && /[^s]s$/u.test(word) && /^(?:ADJ|ADV)$/u.test(tokens[1]?.tag ?? "")) return true;
    return tag === "NOUN" && before !== "DET" && determiner.test(tokens[i + 1]?.word ?? "");
  });

const wordsOf = (text: string): readonly string[] => text.match(/[\p{L}\p{N}][\p{L}\p{N}'./%-]*/gu) ?? [];

function hasBadOpening(sentence: string, tokens: readonly Token[]): boolean {
  const [first, second] = tokens;
  if (first === undefined || sentence.endsWith("?") || opening.test(sentence)) return false;
  if (relative.test(first.word)) return second?.word !== "all";
  if (!preposition.test(first.word)) return first.tag === "SCONJ";
  const pause = tokens.findIndex(({ word }) => /^[,:;]$/u.test(word));
  const isRelative = relative.test(second?.word ?? "") || second?.word === "how";
  return isRelative || tokens[pause]?.word !== "," || !hasVerb(tokens.slice(pause + 1));
}

const isPronoun = ([first, second]: readonly Token[]): boolean =>
  /^(?:it|they|he|she)$/u.test(first?.word ?? "") ||
  (/^(?:this|these|those|that)$/u.test(first?.word ?? "") && !/^(?:NOUN|PROPN|ADJ|NUM)$/u.test(second?.tag ?? ""));

/** Whether the sentence is neither a clause nor a label: a short noun phrase, with a list after a colon or semicolons. */
function lacksVerb(sentence: string, tokens: readonly Token[], labelWords: number): boolean {
  if (labelWords === Infinity || hasVerb(tokens)) return false;
  if (tokens.length < 3 && tokens[0]?.tag === "ADV") return true;
  return sentence.split(/;\s/u).some((clause) => wordsOf(clause.split(/:\s/u)[0] ?? "").length > labelWords);
}

/** Sentences of a text, with inline code and links as nouns. Formulas are no sentences. */
export function sentencesOf(text: string): readonly string[] {
  return text
    .replaceAll(/!?\[([^\]]*)\]\([^)\s]*\)/gu, "$1")
    .replaceAll(/\{@link ([^}\s]+)[^}]*\}|(`+)[^`]*\2|<https?:[^>]*>|https?:\/\/\S+/gu, "Name")
    .replaceAll(/<[^<>\n]*>|\*\*|(?<![\w*])[*_]+(?=\S)|(?<=\S)[*_]+(?!\w)/gu, "")
    .replaceAll(/\s+/gu, " ")
    .split(/(?<=(?<!\b(?:e\.g|i\.e|vs|al|Eq|Sec|No|cf|etc))[.!?]["”)]?)\s+(?=\S)/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[a-z]{2}/iu.test(sentence) && !/^\S+(?: ?[[(].*?[\])])? [+*-]?=/u.test(sentence));
}

export function faultsOf({ kind, line, text, labelWords }: Text): readonly Fault[] {
  return sentencesOf(text).flatMap((sentence, i) => {
    const tokens = tokensOf(sentence);
    const faults: Readonly<Record<Fault["rule"], boolean>> = {
      opening: (kind !== "page" || labelWords < Infinity || tokens.length > 8) && hasBadOpening(sentence, tokens),
      verb: lacksVerb(sentence, tokens, labelWords),
      length: wordsOf(sentence).length > 20,
      pronoun: i === 0 && kind !== "title" && isPronoun(tokens),
      phrase: phrases.some((phrase) => phrase.test(sentence)),
    };
    return Object.entries(faults).flatMap(([rule, isFault]) =>
      isFault ? [{ line, rule: rule as Fault["rule"], sentence }] : [],
    );
  });
}
