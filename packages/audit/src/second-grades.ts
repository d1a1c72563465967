import type { StoredEpisode } from "@laconic/core/run-folder";
import type { Problem, Utterance } from "@laconic/core";

/** The grade of an episode by a rule written a second time; null where there is none for the task. */
export type SecondGrade = (episode: StoredEpisode<Utterance>, problem: Problem) => number;

type Settings = Readonly<Record<string, unknown>>;

const says = (right: boolean): number => (right ? 1 : 0);

/** Of the words that hold a digit there is one, and it is the sum. */
const sum: SecondGrade = ({ answer }, { gold }) => {
  const words = (answer ?? "")
    .trim()
    .split(/\s+/u)
    .filter((word) => /\p{Number}/u.test(word));
  const [word = ""] = words;
  return says(words.length === 1 && word === gold && (word === "0" || /^[1-9]\d*$/.test(word)));
};

/** The first run of letters is the name. */
const name: SecondGrade = ({ answer }, { gold }) => says((answer ?? "").match(/[a-zA-Z]+/u)?.[0] === gold);

/** Somebody begins to speak: a quotation mark and a capital. */
const speech: SecondGrade = ({ answer }) => {
  const openings = (answer ?? "").split('"').slice(1);
  return says(openings.some((behind) => /[A-Z]/.test(behind.charAt(0))));
};

const budget: SecondGrade = ({ ledger: { calls } }, { gold }) => {
  const wanted = Number(gold);
  const off = Math.abs((calls[0]?.writtenTokens ?? 0) - wanted) / wanted;
  return off >= 1 ? 0 : 1 - off;
};

/** Two facts such as `k6 e9`: each of the pair is to leave its own digit and no other. */
const feedback: SecondGrade = (episode, { gold }) => {
  const facts = gold.split(" ");
  const right = ["first", "second"].filter((agent, i) => {
    const digits = Array.from(saidBy(episode, agent))
      .filter((each) => each >= "0" && each <= "9")
      .join("");
    return digits === (facts[i] ?? "").slice(1);
  });
  return right.length / 2;
};

/** Levels of a fifth each: lengths (of both), ratio, order, and the share of the first text's characters in the second. */
const writers =
  (alike: boolean): SecondGrade =>
  (episode, { gold }) => {
    const [first, second] = [saidBy(episode, "first"), saidBy(episode, "second")];
    const long = (text: string): boolean => text.length >= 12 && text.length <= 24;
    const fits = [alike ? long(first) : first.length >= 2 && first.length <= 4, long(second)];
    let grade = 0.2 * fits.filter(Boolean).length;
    if (!fits.every(Boolean)) return grade;
    const ratio = second.length / first.length;
    if (alike ? ratio < 0.8 || ratio > 1.25 : ratio < 4) return grade;
    grade += 0.2;
    const ordered = [first, second].every((text) => {
      const key = Math.max(text.indexOf(gold.slice(0, 2)), text.search(new RegExp(`\\b${gold[0]}\\b`, "u")));
      return key >= 0 && text.indexOf(gold[1] as string, key) > key;
    });
    if (!ordered) return grade;
    const characters = new Set(Array.from(first).filter((each) => each !== " "));
    return grade + 0.2 + (0.2 * [...characters].filter((each) => second.includes(each)).length) / characters.size;
  };

/** The last words of an agent: what it handed in, or said last. */
function saidBy({ outputs, utterances }: StoredEpisode<Utterance>, agent: string): string {
  return outputs?.[agent] ?? utterances.findLast((each) => each.agent === agent)?.text ?? "";
}

const grades: Readonly<Record<string, (settings: Settings) => SecondGrade>> = {
  relay: () => sum,
  "relay-hint": () => sum,
  "relay-critic": () => sum,
  "relay-feedback": () => feedback,
  "relay-writers": ({ parts }) => writers(parts === "alike"),
  "story-tellers": () => name,
  "story-relay": () => name,
  "story-hint": () => speech,
  "story-budget": () => budget,
};

/** @param task - of the run's configuration */
export function secondGrade(task: unknown): SecondGrade | null {
  const settings = (typeof task === "object" && task !== null ? task : {}) as Settings;
  const make = Object.hasOwn(grades, String(settings["name"])) ? grades[String(settings["name"])] : undefined;
  return make?.(settings) ?? null;
}
