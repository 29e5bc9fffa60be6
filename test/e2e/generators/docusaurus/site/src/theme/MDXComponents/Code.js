import { createElement } from 'react';

export default (props) => createElement('code', props);
