import { useState } from "preact/hooks";
import { EventDialog } from "../parts/events/eventDialog.tsx";
import type { Told } from "../parts/events/origins.ts";
import { PersonProperties } from "../parts/events/personProperties.tsx";
import type { Person } from "./load.ts";

/** The properties of a person, and the event that one of them came from. */
export function Properties({ projectId, person }: { projectId: number; person: Person }) {
  const [open, setOpen] = useState<Told | null>(null);
  return (
    <>
      <PersonProperties projectId={projectId} person={person} onOpen={setOpen} />
      {open !== null && <EventDialog projectId={projectId} event={open} onClose={() => setOpen(null)} />}
    </>
  );
}
