import { useMemo, useState } from "preact/hooks";
import { mayEdit } from "../../session/rights.ts";
import { Segments } from "../../ui/field.tsx";
import { Problem } from "../../ui/notice.tsx";
import { useTask } from "../../ui/task.ts";
import { toast } from "../../ui/toast.tsx";
import { NameFields } from "../parts/records/nameFields.tsx";
import { SaveRow } from "../parts/records/saveRow.tsx";
import { useChanges } from "../parts/records/useChanges.ts";
import { type Criteria, criteriaOf, hasUnsaid, wholeOf } from "./criteria.ts";
import { CriteriaEditor } from "./criteriaEditor.tsx";
import { ListUpload } from "./listUpload.tsx";
import { type Cohort, changeCohort, createCohort } from "./load.ts";
import { SizeLine } from "./sizeLine.tsx";

interface EditorProps {
  projectId: number;
  /** Null: a new one. */
  cohort: Cohort | null;
  onSaved(cohort: Cohort): void;
}

const FORMS = [
  { value: "filters", label: "All that meet conditions" },
  { value: "list", label: "A list" },
] as const;

interface Values {
  name: string;
  description: string;
  isList: boolean;
  criteria: Criteria;
}

const valuesOf = (cohort: Cohort | null): Values => ({
  name: cohort?.name ?? "",
  description: cohort?.description ?? "",
  isList: cohort?.is_static ?? false,
  criteria: criteriaOf(cohort?.filters),
});

const bodyOf = ({ name, description, isList, criteria }: Values) => ({
  name: name.trim(),
  description,
  is_static: isList,
  ...(!isList && { filters: { properties: wholeOf(criteria) as never } }),
});

/** What a cohort is called and who is in it. */
export function CohortEditor({ projectId, cohort, onSaved }: EditorProps) {
  const mayChange = cohort === null || mayEdit("cohort", cohort);
  const saved = useMemo(() => valuesOf(cohort), [cohort]);
  const place = mayChange ? ({ what: "cohort", projectId, id: cohort?.id ?? null } as const) : null;
  const { values, changed, change, settle } = useChanges({ saved, bodyOf, place });
  const { name, description, isList, criteria } = values;
  const [csv, setCsv] = useState<string | null>(null);
  const task = useTask();
  const isUnsaid = !isList && hasUnsaid(criteria);
  const isWhole = isList ? cohort !== null || csv !== null : wholeOf(criteria).values.length > 0 && !isUnsaid;
  const isChanged = Object.keys(changed).length > 0;
  const save = () =>
    task.run(async () => {
      const list = csv === null ? {} : { csv };
      const next =
        cohort === null
          ? await createCohort(projectId, { ...bodyOf(values), ...list })
          : await changeCohort(projectId, cohort.id, { ...changed, ...list });
      settle(values);
      setCsv(null);
      toast("Saved");
      onSaved(next);
    });
  return (
    <form
      class="record-form"
      aria-label="Cohort"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <NameFields {...{ name, description, mayChange }} onChange={change} />
      {cohort === null && (
        <Segments
          label="Who is in it"
          value={isList ? "list" : "filters"}
          choices={FORMS}
          onChange={(form) => change({ isList: form === "list" })}
        />
      )}
      {isList ? (
        mayChange && (
          <ListUpload
            key={cohort?.count ?? "new"}
            label={cohort === null ? "Persons" : "More persons"}
            onText={setCsv}
          />
        )
      ) : (
        <>
          <div inert={!mayChange}>
            <CriteriaEditor projectId={projectId} criteria={criteria} onChange={(next) => change({ criteria: next })} />
          </div>
          <SizeLine projectId={projectId} criteria={wholeOf(criteria)} />
        </>
      )}
      {task.error !== undefined && <Problem error={task.error} />}
      {mayChange && (
        <SaveRow
          label={cohort === null ? "Create cohort" : "Save"}
          isReady={isWhole && (cohort === null || isChanged || csv !== null)}
          isBusy={task.isBusy}
          isChanged={isChanged || isUnsaid}
          onDiscard={() => settle(values)}
        >
          {isUnsaid && <span class="pale">A condition is not finished.</span>}
        </SaveRow>
      )}
    </form>
  );
}
