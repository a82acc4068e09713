/** Part of the source of a document that a target with {@link refusingMapping} refuses. */
export const refusedField = '"odd":{"field":1}';
/** Properties of a target that refuses each field of `odd`. */
export const refusingMapping = { odd: { type: 'object', dynamic: 'strict' } } as const;
/** Added to such a target, it takes them. */
export const takingMapping = { properties: { odd: { properties: { field: { type: 'long' } } } } } as const;
