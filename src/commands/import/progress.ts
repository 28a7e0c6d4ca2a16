import type { Telling } from "../../import/mod.ts";
import { count, duration, short } from "./words.ts";

const BAR_UNITS = 20;
const DRAW_MS = 200;
const JSON_MS = 2_000;
const PHASES: Record<Telling["phase"], string> = {
  staging: "fetching",
  survey: "looking at all rows",
  firsts: "sending links",
  rows: "",
  settle: "waiting until the Weir has stored everything",
  check: "checking",
  done: "",
};

/** Shows how far an import is: on a terminal one line, for programs JSON lines, else a line now and then. */
export class ProgressLine {
  private drawnAtMs = Number.NEGATIVE_INFINITY;
  private isDrawn = false;
  private phase: Telling["phase"] | null = null;
  private begin = { atMs: 0, done: 0, share: 0 };

  constructor(
    private readonly asJson: boolean,
    private readonly out: NodeJS.WriteStream = process.stderr,
  ) {}

  show(telling: Telling): void {
    const nowMs = performance.now();
    if (telling.phase !== this.phase) {
      this.phase = telling.phase;
      this.begin = { atMs: nowMs, done: telling.done, share: telling.share };
      this.drawnAtMs = Number.NEGATIVE_INFINITY;
    }
    const isTerminal = this.out.isTTY && !this.asJson;
    if (nowMs - this.drawnAtMs < (isTerminal ? DRAW_MS : JSON_MS)) return;
    this.drawnAtMs = nowMs;
    if (this.asJson) process.stdout.write(`${JSON.stringify({ type: "progress", ...telling })}\n`);
    else if (isTerminal) this.draw(this.line(telling, nowMs));
    else if (telling.phase !== "done") this.out.write(`${this.line(telling, nowMs)}\n`);
  }

  private draw(line: string): void {
    const width = this.out.columns ?? 100;
    this.out.write(`\r\x1b[2K${line.slice(0, width - 1)}`);
    this.isDrawn = true;
  }

  /** Ends the line, so that other text can follow. */
  end(): void {
    if (this.isDrawn) this.out.write("\r\x1b[2K");
    this.isDrawn = false;
  }

  private line(telling: Telling, nowMs: number): string {
    const { phase, done, all, share, counts, stored, duplicates, waitsFor } = telling;
    if (waitsFor !== null) return `waiting: ${waitsFor}`;
    if (phase === "settle") return `${PHASES.settle}: ${count(done)} events are queued`;
    const seconds = (nowMs - this.begin.atMs) / 1000;
    const rate = seconds > 0 ? (done - this.begin.done) / seconds : 0;
    const moved = share - this.begin.share;
    const left = moved > 0.001 && seconds > 1 ? `  ${duration(((1 - share) * seconds) / moved)} left` : "";
    const total = all ?? (share > 0 ? done / share : 0);
    const rows = total > 0 ? `${short(done)}/${all === null ? "~" : ""}${short(total)} rows` : `${short(done)} rows`;
    const parts = [`${bar(share)} ${rows}`, `${count(Math.round(rate))}/s${left}`];
    if (PHASES[phase] !== "") parts.unshift(PHASES[phase]);
    if (phase === "rows") {
      const found = stored === null ? "" : `stored ${short(stored)} duplicates ${short(duplicates ?? 0)} `;
      parts.push(`· ${found}rejected ${count(counts.rejected)}`);
    }
    return parts.join("  ");
  }
}

function bar(share: number): string {
  const whole = Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0;
  const filled = Math.floor(whole * BAR_UNITS);
  const arrow = filled < BAR_UNITS ? ">" : "";
  return `[${"=".repeat(filled)}${arrow}${" ".repeat(Math.max(0, BAR_UNITS - filled - arrow.length))}] ${Math.floor(whole * 100)} %`;
}
