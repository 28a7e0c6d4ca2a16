/** A person as the accepted events make it, by the rules written out plainly. */
export interface ModelPerson {
  /** The distinct_id whose person survived all merges. */
  id: string;
  isIdentified: boolean;
  properties: Map<string, number>;
}

/** Persons and groups of events that are accepted one after the other. */
export class People {
  readonly groups = new Map<string, number>();
  private readonly persons = new Map<string, ModelPerson>();

  /** The person of a distinct_id; made when there is none. */
  of(distinctId: string): ModelPerson {
    let person = this.persons.get(distinctId);
    if (person === undefined) {
      person = { id: distinctId, isIdentified: false, properties: new Map() };
      this.persons.set(distinctId, person);
    }
    return person;
  }

  get distinctIds(): string[] {
    return [...this.persons.keys()];
  }

  set(distinctId: string, key: string, value: number): void {
    this.of(distinctId).properties.set(key, value);
  }

  setOnce(distinctId: string, key: string, value: number): void {
    const { properties } = this.of(distinctId);
    if (!properties.has(key)) properties.set(key, value);
  }

  unset(distinctId: string, key: string): void {
    this.of(distinctId).properties.delete(key);
  }

  /** `$identify` with `$anon_distinct_id`: not when the source is somebody already. */
  identify(source: string, target: string): void {
    if (this.of(source) === this.of(target) || !this.of(source).isIdentified) this.merge(source, target);
    this.of(target).isIdentified = true;
  }

  /** `$merge_dangerously`, and `$create_alias` where one side is nobody yet: without a guard. */
  join(source: string, target: string): void {
    this.merge(source, target);
    this.of(target).isIdentified = true;
  }

  /** The target's person survives, and its values win. */
  private merge(sourceId: string, targetId: string): void {
    const source = this.of(sourceId);
    const target = this.of(targetId);
    if (source === target) return;
    target.properties = new Map([...source.properties, ...target.properties]);
    target.isIdentified ||= source.isIdentified;
    for (const [distinctId, person] of this.persons) if (person === source) this.persons.set(distinctId, target);
  }
}
