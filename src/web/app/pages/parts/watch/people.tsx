import { memberName, useMembers } from "../../../session/members.ts";
import { seesSubjects } from "../../../session/rights.ts";
import { user } from "../../../session/session.ts";
import { Checkbox } from "../../../ui/field.tsx";

interface PeopleProps {
  chosen: readonly number[];
  onChange(chosen: readonly number[]): void;
}

/** The members that get an e-mail. One that may not see the others chooses for itself alone. */
export function People(props: PeopleProps) {
  return seesSubjects() ? <Members {...props} /> : <Choices {...props} people={[{ id: ownId(), name: "Me" }]} />;
}

const ownId = (): number => user.value?.id ?? 0;

function Members(props: PeopleProps) {
  const people = (useMembers().data?.results ?? []).map((member) => ({ id: member.user.id, name: memberName(member) }));
  return <Choices {...props} people={people} />;
}

function Choices({ chosen, onChange, people }: PeopleProps & { people: readonly { id: number; name: string }[] }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a frame
    <div class="field" role="group" aria-label="E-mail to">
      <span class="field-name">E-mail to</span>
      {people.map(({ id, name }) => (
        <Checkbox
          key={id}
          label={name}
          isOn={chosen.includes(id)}
          onChange={(isOn) => onChange(isOn ? [...chosen, id] : chosen.filter((one) => one !== id))}
        />
      ))}
      <p class="field-hint">Needs a mail server: WEIR_SMTP_URL.</p>
    </div>
  );
}
