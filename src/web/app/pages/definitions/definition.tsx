import { useLocation } from "preact-iso";
import { invalidate, remember, useData } from "../../api/cache.ts";
import { formatNumber } from "../../format/number.ts";
import { useGroupTypes } from "../../question/definitions.ts";
import { cut } from "../../question/seen.ts";
import { may } from "../../session/rights.ts";
import { hrefOf } from "../../shell/entries.ts";
import { useTitle } from "../../shell/title.ts";
import { Ago } from "../../ui/ago.tsx";
import { Icon } from "../../ui/icon.tsx";
import { RecordActivity } from "../parts/activity/recordActivity.tsx";
import { Section } from "../parts/form/section.tsx";
import { writeFragment } from "../parts/insight/fragment.ts";
import { Awaited } from "../parts/records/awaited.tsx";
import { EventProperties, SeenValues } from "./beside.tsx";
import { Forget } from "./forget.tsx";
import { DefinitionForm } from "./form.tsx";
import { type Definition, loadDefinition } from "./load.ts";
import { kindText, listPath, type Subject } from "./subject.ts";
import { Uses } from "./uses.tsx";

interface PageProps {
  project?: string;
  definition?: string;
}

/** What is known of the events of a name. */
export function EventDefinitionPage({ project = "", definition = "" }: PageProps) {
  return <One key={`${project} ${definition}`} projectId={Number(project)} kind="event" id={definition} />;
}

/** What is known of a property. */
export function PropertyDefinitionPage({ project = "", definition = "" }: PageProps) {
  return <One key={`${project} ${definition}`} projectId={Number(project)} kind="property" id={definition} />;
}

function One({ projectId, kind, id }: { projectId: number; kind: Subject["kind"]; id: string }) {
  const key = `definition/${projectId}/${kind}/${id}`;
  const { route } = useLocation();
  const { data, error } = useData(key, () => loadDefinition(projectId, kind, id));
  const types = useGroupTypes(projectId);
  useTitle(data === undefined ? "Definition" : cut(data.label));
  if (data === undefined) {
    const list = hrefOf(projectId, kind === "event" ? "data-management/events" : "data-management/properties");
    return <Awaited noun={kind} list={list} error={error} onRetry={() => invalidate(key)} />;
  }
  const { subject } = data;
  const scope = kind === "event" ? "event_definition" : "property_definition";
  return (
    <main class="page">
      <div class="page-head">
        <h1 dir="auto">{cut(data.label)}</h1>
        {kind === "event" && (
          <a class="button" href={insightAbout(projectId, data.key)}>
            <Icon name="plus" />
            Insight about it
          </a>
        )}
        <p class="person-facts">
          <a href={listPath(projectId, subject)}>{kindText(subject, types)}</a>
          <Facts definition={data} />
        </p>
      </div>
      <Section title="What it means" about="What others should know of it.">
        <DefinitionForm
          key={data.id}
          projectId={projectId}
          definition={data}
          mayEdit={may(`${scope}:write`)}
          onSaved={(next) => {
            remember(key, next);
            invalidate(`activity/of/${projectId}/${data.id}`);
          }}
        />
      </Section>
      {subject.kind === "event" && may("property_definition:read") && may("query:read") && (
        <Section title="Properties" about="Those of the newest 500 such events of the last 30 days.">
          <EventProperties projectId={projectId} event={data.key} />
        </Section>
      )}
      {subject.kind === "property" && may("query:read") && (
        <Section title="Values" about="Some that it has, so that its type can be judged.">
          <SeenValues projectId={projectId} subject={subject} name={data.key} />
        </Section>
      )}
      <Section title="Where it is used" about="Insights, actions and cohorts that name it, as far as you may see them.">
        <Uses projectId={projectId} definition={data} />
      </Section>
      {may("activity_log:read") && (
        <Section title="Activity" about="What was said of it, and by whom.">
          <RecordActivity
            projectId={projectId}
            scope={kind === "event" ? "EventDefinition" : "PropertyDefinition"}
            id={data.id}
          />
        </Section>
      )}
      {may(`${scope}:write`) && (
        <Section title="Forget it" about="For names that were a mistake.">
          <Forget projectId={projectId} definition={data} onDone={() => route(listPath(projectId, subject))} />
        </Section>
      )}
    </main>
  );
}

/** What is known of it beside its name, in one line. */
function Facts({ definition }: { definition: Definition }) {
  const { key, label, createdAt, lastSeenAt, volume, subject } = definition;
  return (
    <>
      {label !== key && (
        <span dir="auto" title={cut(key)}>
          {" "}
          · sent as {cut(key)}
        </span>
      )}
      {" · first seen "}
      <Ago at={createdAt} />
      {subject.kind === "event" && lastSeenAt !== null && (
        <>
          {" · last seen "}
          <Ago at={lastSeenAt} />
        </>
      )}
      {volume !== null && ` · ${formatNumber(volume)} in 30 days`}
    </>
  );
}

function insightAbout(projectId: number, event: string): string {
  const source = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event, name: event, math: "total" }] };
  return `/project/${projectId}/insights/new${writeFragment({ kind: "InsightVizNode", source } as never)}`;
}
