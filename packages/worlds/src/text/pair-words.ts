import type { JointGame, JointWords } from "@laconic/topologies";

/** Stands alone in a line between the two parts that one model writes. */
const marker = "=== SECOND PART ===";

/** What untrained pairs are asked: each player's own task with the other's words, or one model with both tasks. */
export function pairWords({ players }: Pick<JointGame, "players">, parts: "text" | "code"): JointWords {
  const tasks = players.map(({ system = "" }, i) => `${i + 1}. ${system}`);
  const alone =
    parts === "text"
      ? "You write two texts that go together. What each of them is to be:"
      : "You write two functions that work together, in the place of two programmers. What each of the two was told:";
  return {
    single: {
      player: {
        id: "single",
        maxTokens: players.reduce((sum, { maxTokens }) => sum + maxTokens, 0),
        system: `${alone}\n${tasks.join("\n")}\nReply with the first, then a line with nothing but ${marker}, then the second.${parts === "code" ? " Each of the two is a code block of its own." : ""}`,
      },
      marker,
    },
    having: (question, heard, draft) => {
      const others = heard.map(({ text }) => `The other one wrote:\n${text}`).join("\n\n");
      const asked = draft === null ? `${question}\n\n` : "";
      const again = draft === null ? "Write your part" : "Write your part again";
      return `${asked}${others}${others === "" ? "" : "\n\n"}${again}, so that the two go together.`;
    },
  };
}
