import { unloadedGroups } from "../../question/choices.tsx";
import { useGroupTypeList } from "../../question/definitions.ts";
import { may } from "../../session/rights.ts";
import { hrefOf } from "../../shell/entries.ts";
import { listPath, type Subject, sameSubject, subjectsOf } from "./subject.ts";

/** Leads from each list of a project's data to the others. */
export function DataLists({ projectId, current }: { projectId: number; current: Subject | "actions" | "annotations" }) {
  const types = useGroupTypeList(projectId);
  const lists = [
    ...subjectsOf(types.data ?? []).map(({ label, subject }) => ({
      label,
      href: listPath(projectId, subject),
      isCurrent: typeof current !== "string" && sameSubject(subject, current),
    })),
    { label: "Actions", href: hrefOf(projectId, "data-management/actions"), isCurrent: current === "actions" },
    ...(may("annotation:read")
      ? [
          {
            label: "Annotations",
            href: hrefOf(projectId, "data-management/annotations"),
            isCurrent: current === "annotations",
          },
        ]
      : []),
  ];
  return (
    <>
      <nav class="owner-types" aria-label="Names">
        {lists.map(({ label, href, isCurrent }) => (
          <a key={label} href={href} aria-current={isCurrent ? "page" : undefined} dir="auto">
            {label}
          </a>
        ))}
      </nav>
      {unloadedGroups(projectId, types)}
    </>
  );
}
