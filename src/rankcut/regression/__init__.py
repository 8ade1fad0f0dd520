"""Classes and numbers from rankings: estimators, their scores, and what they learned."""
