import { LaconicError } from "@laconic/core";
import { expect, test } from "vitest";
import { relayHolderPrompt, relaySolverPrompt } from "./own-prompts.ts";
import { renderTokens } from "./token-prompt.ts";

const heard = (
  text: string,
): { from: string; turn: number; round: number; text: string; tokens: number; silent: boolean } => ({
  from: "north",
  turn: 0,
  round: 0,
  tokens: text.length,
  text,
  silent: text === "",
});

test("agents of one's own are asked as the relay's are", () => {
  expect(renderTokens(relayHolderPrompt({ question: "k+e", privateView: "k6 m3" }))).toBe("A:k6 m3?k+e>");
  expect(renderTokens(relayHolderPrompt({ question: "k+e" }, 3))).toBe("D:?k+e>");
  expect(renderTokens(relaySolverPrompt({ question: "k+e", inbox: [heard("k is 6"), heard("")] }))).toBe(
    "S:k+e?k is 6|>",
  );
  const own = relaySolverPrompt({ question: "k+e", inbox: [heard("k6")], privateView: "e9" });
  expect(renderTokens(own)).toBe("S:k+e?k6|e9>");
});

test("what the policy was never taught is refused", () => {
  const refused = (make: () => unknown): boolean => {
    try {
      make();
      return false;
    } catch (error) {
      return LaconicError.is(error) && error.code === "input_invalid";
    }
  };
  expect(refused(() => relayHolderPrompt({ question: "k+e" }, 4))).toBe(true);
  expect(refused(() => relayHolderPrompt({ question: "K?" }))).toBe(true);
  expect(refused(() => relaySolverPrompt({ question: "k", inbox: [heard("é")] }))).toBe(true);
});
