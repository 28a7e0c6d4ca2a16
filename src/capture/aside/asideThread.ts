/** The thread of `Aside`: does one job after the other. */
import { describeError, TerminalError } from "../../types/mod.ts";
import { JOBS, type JobName } from "./jobs.ts";
import { carried, received } from "./threadData.ts";

export interface JobRequest {
  name: JobName;
  input: unknown;
}

/** What came of a job. Only a TerminalError has a code. */
export type JobReply = { output: unknown } | { code: string | null; message: string };

declare const self: {
  onmessage: (message: MessageEvent<JobRequest>) => void;
  postMessage(reply: JobReply, transfer: ArrayBuffer[]): void;
};

self.onmessage = ({ data: { name, input } }) => {
  try {
    const output = JOBS[name](received(input) as never);
    self.postMessage({ output }, carried(output));
  } catch (error) {
    const code = error instanceof TerminalError ? error.code : null;
    self.postMessage({ code, message: describeError(error) }, []);
  }
};
