import { expect, test } from "vitest";
import { json, request, server } from "../test/fake-api.ts";
import { openAiModel } from "./index.ts";

test.for([
  ["echo", { echo: true, logprobs: 1 }, { logprobs: { token_logprobs: [null, -0.5, -1.25, -7] } }],
  [
    "prompt_logprobs",
    { prompt_logprobs: 0 },
    { prompt_logprobs: [null, { 5: { logprob: -0.5 } }, { 9: { logprob: -1.25 } }] },
  ],
] as const)("log-probs of a prompt by %s", async ([promptScoring, asked, choice]) => {
  const { url, bodies } = await server((_, response) =>
    json(response, 200, {
      choices: [{ finish_reason: "length", text: "abc", ...choice }],
      usage: { prompt_tokens: 3, completion_tokens: 1 },
    }),
  );
  const scored = openAiModel({ model: "tiny", baseUrl: url, apiKey: "none", promptScoring });
  const prompt = { kind: "text", text: "abc" } as const;
  const { promptLogProbs } = await scored.complete({ ...request({ prompt }), scorePrompt: true });
  expect(promptLogProbs).toEqual([null, -0.5, -1.25]);
  expect(bodies).toEqual([{ model: "tiny", temperature: 0, max_tokens: 1, prompt: "abc", ...asked }]);
  expect((await scored.complete(request({ prompt }))).promptLogProbs).toBeUndefined();
  await expect(scored.complete({ ...request(), scorePrompt: true })).rejects.toMatchObject({ code: "config_invalid" });
});

test("a server that does not know a place's log-prob gives none of the prompt's", async () => {
  const { url } = await server((_, response) =>
    json(response, 200, {
      choices: [{ finish_reason: "length", text: "abc", logprobs: { token_logprobs: [null, null, -1, -2] } }],
      usage: { prompt_tokens: 3, completion_tokens: 1 },
    }),
  );
  const scored = openAiModel({ model: "tiny", baseUrl: url, apiKey: "none" });
  const { promptLogProbs } = await scored.complete({
    ...request({ prompt: { kind: "text", text: "abc" } }),
    scorePrompt: true,
  });
  expect(promptLogProbs).toBeUndefined();
});
