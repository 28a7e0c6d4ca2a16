import { NO_CODE } from "./actorWalk.ts";
import { EdgeCounts, type TellEdge } from "./edgeCounts.ts";
import { FOUND_ROWS } from "./found.ts";
import { type PathPart, pathPart } from "./pathParts.ts";
import { PathsFound } from "./pathsFound.ts";
import type { PathsProgram } from "./program.ts";
import type { Part, Slice, Walker } from "./walker.ts";

/** Cuts the rows of each actor into paths, and counts the edges of all of them. */
export class PathsWalker implements Walker {
  readonly found = new PathsFound();
  private readonly pauseUs: number;
  private readonly edges: EdgeCounts;
  private readonly path: PathPart;
  /** The last row; the next one tells whether it is a step. */
  private hasRow = false;
  private actor = 0;
  private us = 0;
  private item = NO_CODE;
  private isPoint = false;

  constructor(
    program: PathsProgram,
    private readonly give: (found: PathsFound) => void,
  ) {
    this.pauseUs = program.pauseMs * 1000;
    this.edges = new EdgeCounts(this.tell);
    this.path = pathPart(program, this.edges);
  }

  take({ rowCount, actor, us, steps, value }: Slice): void {
    for (let row = 0; row < rowCount; row++) {
      const item = value![row]!;
      const goesOn = this.hasRow && actor[row] === this.actor && us[row]! - this.us < this.pauseUs;
      if (!goesOn) this.endPath();
      else if (item !== this.item) this.path.step(this.item, this.us, this.isPoint);
      this.hasRow = true;
      this.actor = actor[row]!;
      this.us = us[row]!;
      this.item = item;
      this.isPoint = steps[row] !== 0;
    }
  }

  part(): Part {
    this.endPath();
    this.hasRow = false;
    this.giveAll();
    return this.edges.part();
  }

  addPart(part: Part): void {
    this.edges.addPart(part);
  }

  end(): void {
    this.endPath();
    this.edges.tellAll();
    this.giveAll();
  }

  /** What has no name is no step at the end of a path. */
  private endPath(): void {
    if (this.hasRow && this.item !== NO_CODE) this.path.step(this.item, this.us, this.isPoint);
    this.path.end();
  }

  private readonly tell: TellEdge = ({ place, before, item, count, ms }) => {
    const { found } = this;
    const row = found.rowCount++;
    found.place[row] = place;
    found.before[row] = before;
    found.item[row] = item;
    found.value[row] = count;
    found.total[row] = ms;
    if (found.rowCount === FOUND_ROWS) this.giveAll();
  };

  private giveAll(): void {
    if (this.found.rowCount > 0) this.give(this.found);
    this.found.rowCount = 0;
  }
}
