import { type AnyNode, type Expression, parse } from 'acorn';
import { fullAncestor } from 'acorn-walk';

/** A change of a compiled module that makes it wrong, or nearly always so. */
export interface Change {
  readonly operator: string;
  /** Where it begins and ends in the module's text. */
  readonly start: number;
  readonly end: number;
  readonly to: string;
  /** What encloses it, up to a statement: what it is known by when lines move. */
  readonly within: AnyNode;
  /** Whether a whole statement is changed, not a part of one. */
  readonly isStatement: boolean;
}

/** Calls without which a value is another one. */
const DROPPED_CALLS = /^(?:filter|sort|toSorted|reverse|toReversed|trim|trimEnd|toLowerCase|normalize|flat)$/;

/** `!` or a bound that is one too many or one too few; the other branch; what is left of a choice. */
const OTHER_OPERATOR: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '-': '+',
  '%': '*',
};

/** Words for a person, which no test should pin: log lines, output, messages of errors, descriptions of commands. */
const WORDS =
  /(?:\blog|logger|console|process\.std(?:out|err))\??\.(?:trace|debug|info|warn|error|fatal|log|write)$|\.(?:description|option|argument|addHelpText|summary)$/i;

/** All changes of a compiled module that are known here. */
export function changesOf(source: string): Change[] {
  const changes: Change[] = [];
  const text = ({ start, end }: AnyNode) => source.slice(start, end);
  fullAncestor(parse(source, { ecmaVersion: 'latest', sourceType: 'module' }), (node, _, ancestors) => {
    if (ancestors.some((ancestor, at) => isWords(ancestor, ancestors[at + 1], text))) return;
    const within = ancestors.findLast(({ type }) => /Statement$|Declaration$/.test(type)) ?? node;
    const add = (operator: string, { start, end }: AnyNode, to: string, isStatement = false) =>
      changes.push({ operator, start, end, to, within, isStatement });
    switch (node.type) {
      case 'IfStatement':
        if (node.alternate !== null && node.alternate !== undefined) return decide(node.test);
        return onlySpeaks(node.consequent, text) ? undefined : decide(node.test);
      case 'ConditionalExpression':
        return decide(node.test);
      case 'LogicalExpression':
      case 'BinaryExpression': {
        if (node.operator === '??')
          return isFirstPart(text(node.left)) ? undefined : add('choice', node, `(${text(node.left)})`);
        const isNumber = (side: AnyNode) => side.type === 'Literal' && typeof side.value === 'number';
        const added =
          node.operator === '+' && (isNumber(node.left) || isNumber(node.right)) ? '-' : undefined;
        const other = OTHER_OPERATOR[node.operator] ?? added;
        if (other === undefined) return;
        const operator = /[<>]/.test(other) ? 'bound' : /[&|]/.test(other) ? 'logic' : 'operator';
        const between = source.slice(node.left.end, node.right.start).replace(node.operator, other);
        const [before, after] = [
          source.slice(node.start, node.left.end),
          source.slice(node.right.start, node.end),
        ];
        return void add(operator, node, `(${before}${between}${after})`);
      }
      case 'UnaryExpression':
        if (node.operator === '!') add('negation', node, `(${text(node.argument)})`);
        return;
      case 'ExpressionStatement':
        return removed(node.expression, node);
      case 'ArrayExpression': {
        const last = node.elements.at(-1);
        if (last)
          add(
            'element',
            node,
            `[${node.elements
              .slice(0, -1)
              .map((item) => (item ? text(item) : ''))
              .join(', ')}]`,
          );
        return;
      }
      case 'SpreadElement':
        if (ancestors.at(-2)?.type === 'ObjectExpression') add('spread', node.argument, '{}');
        return;
      case 'Literal':
        if (typeof node.value === 'number' && ancestors.at(-2)?.type !== 'Property' && !isTime(ancestors))
          add('constant', node, String(node.value < 10 ? node.value + 1 : node.value * 10));
        if (typeof node.value === 'boolean') add('constant', node, String(!node.value));
        return;
      case 'CallExpression': {
        const { callee } = node;
        if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
        const { name } = callee.property;
        const isPartOfChain =
          ancestors.some(({ type }) => type === 'ChainExpression') &&
          ancestors.at(-2)?.type !== 'ChainExpression';
        if (isPartOfChain) return;
        if (DROPPED_CALLS.test(name)) add('call', node, `(${text(callee.object)})`);
        const [object, rest] = [
          source.slice(node.start, callee.property.start),
          source.slice(callee.property.end, node.end),
        ];
        if (name === 'some') add('call', node, `${object}every${rest}`);
        if (name === 'every') add('call', node, `${object}some${rest}`);
        return;
      }
    }

    function decide(test: Expression): void {
      add('condition', test, `!(${text(test)})`);
      add('condition', test, 'true');
      add('condition', test, 'false');
    }

    function removed(expression: Expression, statement: AnyNode): void {
      const done = expression.type === 'AwaitExpression' ? expression.argument : expression;
      if (done.type !== 'CallExpression' && done.type !== 'AssignmentExpression') return;
      if (done.type === 'CallExpression' && WORDS.test(text(done.callee))) return;
      add('statement', statement, '{}', true);
      if (expression !== done) add('await', statement, `${text(done)};`, true);
    }
  });
  return changes;
}

/** Whether a node's child is nothing but words for a person: an argument of a log call, or what is thrown. */
function isWords(node: AnyNode, child: AnyNode | undefined, text: (node: AnyNode) => string): boolean {
  if (node.type === 'ImportExpression') return true;
  if (child === undefined) return false;
  if (node.type === 'ThrowStatement') return true;
  if (node.type === 'NewExpression')
    return child !== node.callee && /(?:Error|Failure)$/.test(text(node.callee));
  return node.type === 'CallExpression' && child !== node.callee && WORDS.test(text(node.callee));
}

/** The first part of a text that is split: there always is one, which the compiler does not know. */
const isFirstPart = (text: string): boolean => /\.split\([^()]*\)\[0\]$/.test(text);

/** Whether a number is how long something waits or lasts, which no test waits for. */
const isTime = (ancestors: readonly AnyNode[]): boolean =>
  ancestors.some(
    (node) =>
      node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && /_MS$/.test(node.id.name),
  );

/** Whether a statement only logs. */
function onlySpeaks(statement: AnyNode, text: (node: AnyNode) => string): boolean {
  if (statement.type === 'BlockStatement')
    return statement.body.length === 1 && statement.body.every((part) => onlySpeaks(part, text));
  return (
    statement.type === 'ExpressionStatement' &&
    statement.expression.type === 'CallExpression' &&
    WORDS.test(text(statement.expression.callee))
  );
}
