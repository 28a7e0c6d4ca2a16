import type { LiveSegment, OwnedPartitions } from "../../../src/lake/mod.ts";
import { type AcceptedEvent, EventFlag, RetryableError } from "../../../src/types/mod.ts";
import { type File, SimDuplicates, SimWriter } from "../disk.ts";
import type { PlantedViolation } from "../plant.ts";
import { SimReader } from "../reader.ts";

/** What reading frames, writing files and looking for duplicates do wrong. */
export const LAKE_PLANTS: readonly PlantedViolation[] = [
  {
    rule: 8,
    what: "a reader goes on behind a gap",
    plant: {
      reader: (universe, process, o) =>
        new (class extends SimReader {
          protected override isNext(): boolean {
            return true;
          }
        })(universe, process, o),
    },
  },
  {
    rule: 10,
    what: "seen uuids are adopted before the commit",
    plant: {
      duplicates: (universe, process) => new HastyDuplicates(universe, process),
      writer: (universe, process, duplicates) =>
        new (class extends SimWriter {
          override async writeFlush(...args: Parameters<SimWriter["writeFlush"]>) {
            const written = await super.writeFlush(...args);
            for (const { facts } of written.events) if (facts !== null) duplicates.keep(facts.id);
            return written;
          }
        })(universe, process),
    },
  },
  {
    rule: 11,
    what: "a file is called written before it is",
    plant: {
      writer: (universe, process) =>
        new (class extends SimWriter {
          protected override async put(id: string, file: File): Promise<void> {
            this.universe.disk.files.set(id, file);
            void super.put(id, file).catch(() => {});
            await this.universe.scheduler.point(this.process);
          }
        })(universe, process),
    },
  },
  {
    rule: 11,
    what: "an upload without an answer counts as done",
    plant: {
      writer: (universe, process) =>
        new (class extends SimWriter {
          protected override async putObject(id: string, file: File): Promise<boolean> {
            await super.putObject(id, file);
            return true;
          }
        })(universe, process),
    },
  },
  {
    rule: 11,
    what: "a flush that is made again writes under a name that was used",
    plant: {
      writer: (universe, process) =>
        new (class extends SimWriter {
          private newest = "";

          protected override putObject(id: string, file: File): Promise<boolean> {
            this.newest = id;
            return super.putObject(id, file);
          }

          protected override nameOf(): string {
            return this.newest;
          }
        })(universe, process),
    },
  },
  {
    rule: 15,
    what: "keys that cannot be read count as none",
    plant: {
      duplicates: (universe, process) =>
        new (class extends SimDuplicates {
          protected override load(id: string): Set<string> {
            try {
              return super.load(id);
            } catch (error) {
              if (error instanceof RetryableError && error.code === "s3_unreachable") return new Set();
              throw error;
            }
          }
        })(universe, process),
    },
  },
  {
    rule: 15,
    what: "only what this worker has stored itself is known as stored",
    plant: {
      duplicates: (universe, process) =>
        new (class extends SimDuplicates {
          override async sync(live: readonly LiveSegment[], owned: OwnedPartitions): Promise<void> {
            const own = new Set(this.segments.keys());
            await super.sync(
              live.filter(({ id }) => own.has(id)),
              owned,
            );
          }
        })(universe, process),
    },
  },
  {
    rule: 15,
    what: "a copy on the neighbouring day is not looked for",
    plant: {
      duplicates: (universe, process) =>
        new (class extends SimDuplicates {
          override check(events: readonly AcceptedEvent[]): Promise<Uint8Array> {
            return super.check(events.map((event) => ({ ...event, flags: event.flags & ~EventFlag.ServerTime })));
          }
        })(universe, process),
    },
  },
  {
    rule: 15,
    what: "copies of events about persons are let through",
    plant: {
      duplicates: (universe, process) =>
        new (class extends SimDuplicates {
          override async check(events: readonly AcceptedEvent[]): Promise<Uint8Array> {
            const marks = await super.check(events);
            return marks.map((mark, i) => (events[i]!.event.startsWith("$") ? 0 : mark));
          }
        })(universe, process),
    },
  },
];

/** Whatever was once said to it stays. */
class HastyDuplicates extends SimDuplicates {
  private readonly kept = new Map<string, Set<string>>();

  override keep(id: string): void {
    super.keep(id);
    this.kept.set(id, this.segments.get(id)!);
  }

  override async sync(live: readonly LiveSegment[], owned: OwnedPartitions): Promise<void> {
    await super.sync(live, owned);
    for (const [id, keys] of this.kept) this.segments.set(id, keys);
  }
}
