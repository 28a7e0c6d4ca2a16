/// <reference lib="webworker" />
import createParser from "@posthog/hogql-parser";

/**
 * Runs the parser in a thread of its own, where a parse that takes minutes can be ended. After a throw the parser's
 * next call would hang, so the owner must end this worker when it reads `broken`.
 */
export interface ParseRequest {
  id: number;
  text: string;
}
export type ParseReply = { ready: true } | { id: number; tree: string } | { id: number; broken: string };

const parser = await createParser();

self.onmessage = (message: MessageEvent<ParseRequest>) => {
  const { id, text } = message.data;
  let reply: ParseReply;
  try {
    reply = { id, tree: parser.parseSelect(text) };
  } catch (error) {
    reply = { id, broken: String(error) };
  }
  self.postMessage(reply);
};

self.postMessage({ ready: true } satisfies ParseReply);
