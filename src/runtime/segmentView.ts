import type { Catalog, LiveSegment } from "../lake/mod.ts";

/** The live segments of events as the catalog had them at the last refresh. */
export class SegmentView {
  private readonly byId = new Map<string, LiveSegment>();
  private version = 0;

  constructor(private readonly catalog: Catalog) {}

  async refresh(): Promise<LiveSegment[]> {
    const changes = await this.catalog.segmentChanges(this.version);
    for (const id of this.byId.keys()) if (!changes.liveIds.has(id)) this.byId.delete(id);
    for (const segment of changes.added) if (segment.kind === "events") this.byId.set(segment.id, segment);
    this.version = changes.version;
    return [...this.byId.values()];
  }
}
