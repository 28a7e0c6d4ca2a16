/// <reference lib="webworker" />
import { type LoadedParser, ParserProgram } from "./parserProgram.ts";

/**
 * Runs the parser in a thread of its own, where a parse that takes minutes can be ended. After a throw the parser's
 * next call would hang, so the owner must end this worker when it reads `broken`.
 */
export interface ParseRequest {
  id: number;
  text: string;
  /** By a parser that has parsed nothing before. */
  isFresh: boolean;
}
/** `heldBytes`: memory of the parser that read the text. */
export type ParseReply =
  | { ready: true }
  | { id: number; tree: string; heldBytes: number }
  | { id: number; broken: string };

const program = await ParserProgram.compile();
const warm = await program.fresh();

function read({ parser, memory }: LoadedParser, { id, text }: ParseRequest): ParseReply {
  try {
    return { id, tree: parser.parseSelect(text), heldBytes: memory.buffer.byteLength };
  } catch (error) {
    return { id, broken: String(error) };
  }
}

self.onmessage = async ({ data: request }: MessageEvent<ParseRequest>) => {
  self.postMessage(read(request.isFresh ? await program.fresh() : warm, request));
};

self.postMessage({ ready: true } satisfies ParseReply);
