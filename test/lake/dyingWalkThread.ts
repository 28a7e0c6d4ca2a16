/// <reference lib="webworker" />
import { Ranges } from "../../src/lake/walking/ranges.ts";
import type { ToThread } from "../../src/lake/walking/walkTask.ts";

// A thread that takes a range of a walk, and ends.
self.onmessage = ({ data: { thread, task } }: MessageEvent<ToThread>) => {
  const ranges = new Ranges(task.cut, task.state);
  if (ranges.join(thread) && ranges.take() !== null) process.exit(1);
};
