export default {
  layout: 'layouts/post.njk',
  tags: ['posts'],
};
