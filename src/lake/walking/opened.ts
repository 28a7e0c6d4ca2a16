import { type Journey, openJourney } from "../journeys/mod.ts";
import { FileUnreadable } from "./fileUnreadable.ts";

/** The journey of a file, mapped. Errors: FileUnreadable. */
export function opened(location: string): Journey {
  try {
    return openJourney(Bun.mmap(location));
  } catch (error) {
    throw new FileUnreadable(location, error);
  }
}
