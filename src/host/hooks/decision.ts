/** What a filter of `article.draft` returns to have the article stored, and not shown; see `ReceiverHost.hold`. */
export class Hold {
  constructor(readonly reason: string) {}
}

/** What a filter of `article.draft` returns to refuse the delivery; see `ReceiverHost.refuse`. */
export class Refusal {
  constructor(
    readonly status: number,
    readonly words: string,
  ) {}
}

/** What else than a draft a filter of `article.draft` may return. */
export type Decision = Hold | Refusal;
