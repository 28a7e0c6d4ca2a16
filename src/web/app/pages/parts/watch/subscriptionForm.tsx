import { useState } from "preact/hooks";
import { call } from "../../../api/client.ts";
import { user } from "../../../session/session.ts";
import { Segments, TextField } from "../../../ui/field.tsx";
import { paramsOf, type Subject, type Subscription } from "./data.ts";
import { WatchForm, type WatchFormProps } from "./watchForm.tsx";

interface SubscriptionFormProps extends WatchFormProps {
  subject: Subject;
}

const FREQUENCIES = [
  { value: "daily", label: "Daily" },
  { value: "weekly", label: "Weekly" },
  { value: "monthly", label: "Monthly" },
] as const;
const CHANNELS = [
  { value: "email", label: "E-mail" },
  { value: "webhook", label: "Webhook" },
] as const;

/** Has an insight or a dashboard sent again and again, from a moment on. */
export function SubscriptionForm({ subject, ...form }: SubscriptionFormProps) {
  const [title, setTitle] = useState(subject.name.slice(0, 100));
  const [channel, setChannel] = useState<Subscription["target_type"]>("email");
  const [target, setTarget] = useState(ownAddress);
  const [frequency, setFrequency] = useState<Subscription["frequency"]>("weekly");
  const [start, setStart] = useState(nextMorning);
  const save = () =>
    call("POST /api/environments/{project_id}/subscriptions/", {
      params: paramsOf(form.projectId),
      body: {
        [subject.what]: subject.id,
        title: title.trim(),
        target_type: channel,
        target_value: target.trim(),
        frequency,
        // What is typed is the time of this browser.
        start_date: new Date(start).toISOString(),
      },
    });
  return (
    <WatchForm {...form} save={save} done="Saved">
      {(problem) => (
        <>
          <TextField
            label="Title"
            maxLength={100}
            value={title}
            problem={problem}
            onInput={(event) => setTitle(event.currentTarget.value)}
          />
          <Segments
            label="By"
            value={channel}
            choices={CHANNELS}
            onChange={(next) => {
              setChannel(next);
              setTarget(next === "email" ? ownAddress() : "");
            }}
          />
          <TextField
            label={channel === "email" ? "Addresses" : "Webhook"}
            required
            maxLength={4_000}
            value={target}
            placeholder={channel === "email" ? undefined : "https://"}
            hint={
              channel === "email"
                ? "Several with commas between them. Needs a mail server: WEIR_SMTP_URL."
                : "Gets signed JSON."
            }
            onInput={(event) => setTarget(event.currentTarget.value)}
          />
          <Segments label="How often" value={frequency} choices={FREQUENCIES} onChange={(next) => setFrequency(next)} />
          <label class="field">
            <span class="field-name">First time</span>
            <input
              class="input"
              type="datetime-local"
              required
              value={start}
              onInput={(event) => setStart(event.currentTarget.value)}
            />
          </label>
        </>
      )}
    </WatchForm>
  );
}

const ownAddress = (): string => String(user.value?.email ?? "");

/** Tomorrow at nine, as such a field has it. */
function nextMorning(): string {
  const day = new Date(Date.now() + 86_400_000);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}T09:00`;
}
