import { type Turn, programTopology, quote } from "@laconic/topologies";
import type { AnswerReader, Baseline } from "../baseline.ts";
import { chat, stepByStep } from "../prompts/chat.ts";

/**
 * Multi-Agent Debate: one side answers, the other has to disagree; after each round a moderator may end it by naming an
 * answer. Undecided after 3 rounds, a judge lists the candidates of the first round and picks. The moderator's reply is
 * read as JSON, never run.
 */
export const mad: Baseline = {
  name: "mad",
  title: "MAD",
  source: "Liang et al. 2023; protocol as in Multi-Agents-Debate@022a7a8e",
  calls: "3 a round, at most 3 rounds (rounds), and 2 for the judge",
  temperature: 0,
  create: ({ reader, answerForm, maxTokens, rounds = 3 }) =>
    programTopology({
      name: "mad",
      agents: ["affirmative", "negative", "moderator", "judge"],
      play: async (stage) => {
        const { question } = stage.problem;
        const debate = `${stepByStep} ${answerForm}`;
        let [mine, theirs]: (Turn | undefined)[] = [];
        for (let round = 0; round < rounds; round++) {
          const answerTo = (turn: Turn | undefined, task: string): string =>
            turn ? `${question}\n\nThe other side wrote:\n${quote(turn.utterance.text)}\n\n${task}` : question;
          const reads = (...turns: (Turn | undefined)[]): Turn["message"][] =>
            turns.flatMap((turn) => (turn ? [turn.message] : []));
          [mine] = await stage.say({
            agent: "affirmative",
            prompt: chat(debate, answerTo(theirs, "Do you agree? Give your reasons and your answer.")),
            reads: reads(theirs),
            maxTokens,
          });
          [theirs] = await stage.say({
            agent: "negative",
            prompt: chat(
              debate,
              answerTo(
                mine,
                round === 0
                  ? "You disagree. Give your reasons and your answer."
                  : "Do you agree? Give your reasons and your answer.",
              ),
            ),
            reads: reads(mine),
            maxTokens,
          });
          const both = `${question}\n\nAffirmative side:\n${quote(mine?.utterance.text ?? "")}\n\nNegative side:\n${quote(theirs?.utterance.text ?? "")}`;
          const [verdict] = await stage.say({
            agent: "moderator",
            prompt: chat(
              'You moderate a debate. Reply with JSON alone: {"preference": "affirmative" or "negative" or "none", "answer": the answer, or "" to go on}.',
              both,
            ),
            reads: reads(mine, theirs),
            maxTokens,
          });
          if (moderated(verdict?.utterance.text ?? "", reader) !== null) return;
        }
        const firstRound = stage.turns.slice(0, 2).map(({ message }) => message);
        const sides = firstRound.map(({ text }) => quote(text)).join("\n\n");
        const [listed] = await stage.say({
          agent: "judge",
          prompt: chat("List the candidate answers of both sides.", `${question}\n\n${sides}`),
          reads: firstRound,
          maxTokens,
        });
        await stage.say({
          agent: "judge",
          prompt: chat(answerForm, `${question}\n\nCandidates:\n${quote(listed?.utterance.text ?? "")}\n\nChoose one.`),
          reads: listed ? [listed.message] : [],
          maxTokens,
        });
      },
      answer: (turns) => {
        const last = turns.at(-1);
        if (!last) return null;
        if (last.call.agent === "judge") return last.utterance;
        const verdict = turns.findLast(({ call }) => call.agent === "moderator");
        const decided = verdict ? moderated(verdict.utterance.text, reader) : null;
        if (verdict && decided !== null) return { ...verdict.utterance, text: decided };
        return turns.findLast(({ utterance }) => reader.read(utterance.text) !== null)?.utterance ?? null;
      },
    }),
  mostCalls: ({ rounds = 3 }) => 3 * rounds + 2,
  // A round reads four replies, the first three; the judge three.
  mostCopies: ({ rounds = 3 }) => ({ questions: 3 * rounds + 2, examples: 0, replies: 4 * rounds + 2 }),
};

/**
 * The answer in a moderator's JSON; null to go on, and for anything that is no such JSON. It becomes a sentence, unless the
 * benchmark's reader takes a reply whole, as programs are: then it is the reply.
 */
function moderated(text: string, reader: AnswerReader): string | null {
  for (const object of objectsIn(text)) {
    try {
      const { answer } = JSON.parse(object) as { answer?: unknown };
      const said = typeof answer === "string" ? answer.trim() : typeof answer === "number" ? String(answer) : "";
      const sentence = `The answer is ${said}.`;
      return said === "" ? null : reader.read(sentence) === sentence ? said : sentence;
    } catch {
      // the next one
    }
  }
  return null;
}

/** What may be an object: everything between the outer braces, as programs have braces too, or the first without any inside. */
function objectsIn(text: string): string[] {
  const [first, last] = [text.indexOf("{"), text.lastIndexOf("}")];
  const flat = /\{[^{}]{0,2000}\}/su.exec(text)?.[0];
  return [...(first >= 0 && last > first ? [text.slice(first, last + 1)] : []), ...(flat === undefined ? [] : [flat])];
}
