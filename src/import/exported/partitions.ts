import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { FileSink } from "bun";

const FLUSH_BYTES = 64 * 1024;

/** Lines spread over files by a key, so that all lines of a key can be in memory together when their file is read. */
export class Partitions {
  private readonly sinks: FileSink[] = [];

  constructor(
    private readonly folder: string,
    private readonly count: number,
  ) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (let i = 0; i < count; i++) this.sinks.push(Bun.file(this.path(i)).writer({ highWaterMark: FLUSH_BYTES }));
  }

  private path(index: number): string {
    return join(this.folder, `${index}.jsonl`);
  }

  async add(key: string, line: string): Promise<void> {
    const sink = this.sinks[Number(BigInt(Bun.hash(key)) % BigInt(this.count))]!;
    await sink.write(`${line}\n`);
  }

  /** Ends writing; then gives the lines of each file. Each file is removed once its lines were taken. */
  async *take(): AsyncGenerator<string[]> {
    for (const sink of this.sinks) await sink.end();
    for (let i = 0; i < this.count; i++) {
      const text = await Bun.file(this.path(i)).text();
      yield text.split("\n").slice(0, -1);
      rmSync(this.path(i), { force: true });
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
