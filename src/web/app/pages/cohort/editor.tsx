import { useMemo, useState } from "preact/hooks";
import { mayEdit } from "../../session/rights.ts";
import { Button } from "../../ui/button.tsx";
import { Segments } from "../../ui/field.tsx";
import { Problem } from "../../ui/notice.tsx";
import { useTask } from "../../ui/task.ts";
import { toast } from "../../ui/toast.tsx";
import { NameFields } from "../parts/records/nameFields.tsx";
import { criteriaOf, hasUnsaid, wholeOf } from "./criteria.ts";
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

/** What a cohort is called and who is in it. */
export function CohortEditor({ projectId, cohort, onSaved }: EditorProps) {
  const [name, setName] = useState(cohort?.name ?? "");
  const [description, setDescription] = useState(cohort?.description ?? "");
  const [isList, setList] = useState(cohort?.is_static ?? false);
  const saved = useMemo(() => criteriaOf(cohort?.filters), [cohort]);
  const [criteria, setCriteria] = useState(saved);
  const [csv, setCsv] = useState<string | null>(null);
  const task = useTask();
  const whole = wholeOf(criteria);
  const areSame = JSON.stringify(criteria) === JSON.stringify(saved);
  const areNamesSame = name === (cohort?.name ?? "") && description === (cohort?.description ?? "");
  const isReady = isList ? cohort !== null || csv !== null : whole.values.length > 0 && !hasUnsaid(criteria);
  const mayChange = cohort === null || mayEdit("cohort", cohort);
  const save = () =>
    task.run(async () => {
      const texts = { name: name.trim(), description };
      const list = csv === null ? {} : { csv };
      const content = isList ? list : areSame ? {} : { filters: { properties: whole as never } };
      const next =
        cohort === null
          ? await createCohort(projectId, { ...texts, ...content, ...(isList && { is_static: true }) })
          : await changeCohort(projectId, cohort.id, { ...texts, ...content });
      setCriteria(criteriaOf(next.filters));
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
      <NameFields {...{ name, description, mayChange }} onName={setName} onDescription={setDescription} />
      {cohort === null && (
        <Segments
          label="Who is in it"
          value={isList ? "list" : "filters"}
          choices={FORMS}
          onChange={(form) => setList(form === "list")}
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
            <CriteriaEditor projectId={projectId} criteria={criteria} onChange={setCriteria} />
          </div>
          <SizeLine projectId={projectId} criteria={whole} />
        </>
      )}
      {task.error !== undefined && <Problem error={task.error} />}
      {mayChange && (
        <p class="row">
          <Button
            look="primary"
            type="submit"
            isBusy={task.isBusy}
            disabled={!isReady || (cohort !== null && areSame && areNamesSame && csv === null)}
          >
            {cohort === null ? "Create cohort" : "Save"}
          </Button>
          {!isList && hasUnsaid(criteria) && <span class="pale">A condition is not finished.</span>}
        </p>
      )}
    </form>
  );
}
