import { createHash } from "node:crypto";
import type { ChatMessage } from "@laconic/core";

/**
 * A key for each beginning of a chat, as long as the chat: equal exactly where all messages up to there are. What a chat
 * goes on from is found by it without keeping the chat.
 */
export function historyKeys(messages: readonly ChatMessage[]): string[] {
  let key = "";
  return messages.map(({ role, content }) => {
    key = createHash("sha256")
      .update(JSON.stringify([key, role, content]))
      .digest("base64url");
    return key;
  });
}
