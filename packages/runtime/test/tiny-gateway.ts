import { createGateway, type Gateway } from "@laconic/serve";
import { tinyTokenizer } from "@laconic/trainer/testing";
import { expect } from "vitest";

export function tinyGateway(options: {
  readonly contextLength: number;
  readonly groupsPerStep: number;
  readonly rolloutsPerGroup: number;
}): { readonly gateway: Gateway; readonly post: (path: string, body: unknown) => Promise<unknown> } {
  const { contextLength, ...sizes } = options;
  const gateway = createGateway({
    ...sizes,
    agents: { solver: { tokenizer: tinyTokenizer, contextLength, learns: true } },
    tools: null,
    seed: 1,
    now: () => 0,
    onError: (error: unknown) => expect(error).toBeUndefined(),
  });
  const post = async (path: string, body: unknown): Promise<unknown> => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await gateway.handler(new Request(`http://localhost${path}`, init));
    expect([path, response.status]).toEqual([path, 200]);
    return response.json();
  };
  return { gateway, post };
}
